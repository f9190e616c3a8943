package io.rebalancer.coordinator.runtime;

import java.time.Duration;

/** When an assignment is tried again after the assignor has failed. */
final class AssignmentRetry {

  static final Duration FIRST = Duration.ofSeconds(1);
  static final Duration LONGEST = Duration.ofSeconds(30);

  private AssignmentRetry() {}

  /** After so many failures in a row, 1 or more: twice as long each time, up to a limit. */
  static Duration after(int failures) {
    int doublings =
        Math.min(failures - 1, Long.SIZE - Long.numberOfLeadingZeros(LONGEST.toMillis()));
    Duration wait = FIRST.multipliedBy(1L << doublings);
    return wait.compareTo(LONGEST) < 0 ? wait : LONGEST;
  }
}
