/** The state machine and its runtime, as they ship, on virtual time among clients that fail. */
@NullMarked
package io.rebalancer.coordinator.simulation;

import org.jspecify.annotations.NullMarked;
