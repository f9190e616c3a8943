package io.rebalancer.coordinator.client;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;
import java.util.List;

/**
 * What the assignments of one generation say of a delayed rebalance. Every member hands it on in
 * its next Join, so that it outlives the group leader.
 *
 * @param generation that gave it
 * @param delayMs how long what is parked still waits; 0 when nothing does
 * @param parked what vanished members had, and nobody has now
 * @param given what anybody has been given
 */
record DelayState(int generation, long delayMs, List<Parked> parked, Assignment given) {

  static final DelayState NONE =
      new DelayState(MemberState.NO_GENERATION, 0, List.of(), Assignment.empty());

  DelayState {
    parked = List.copyOf(parked);
    requireNonNull(given, "given");
  }

  boolean isNone() {
    return parked.isEmpty() && given.isEmpty();
  }

  DelayState of(int value) {
    return new DelayState(value, delayMs, parked, given);
  }

  DelayState after(long remainingMs) {
    return new DelayState(generation, remainingMs, parked, given);
  }

  /** All that is parked. */
  static Assignment union(List<Parked> parked) {
    Assignment all = Assignment.empty();
    for (Parked each : parked) {
      all = all.plus(each.partitions());
    }
    return all;
  }
}
