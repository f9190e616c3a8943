/** The group state machine: events in, states and effects out. Pure. */
@NullMarked
package io.rebalancer.coordinator.group;

import org.jspecify.annotations.NullMarked;
