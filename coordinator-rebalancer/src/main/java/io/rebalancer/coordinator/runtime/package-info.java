/** Runs the state machine: event loops, timers, effects, and the ports that adapters implement. */
@NullMarked
package io.rebalancer.coordinator.runtime;

import org.jspecify.annotations.NullMarked;
