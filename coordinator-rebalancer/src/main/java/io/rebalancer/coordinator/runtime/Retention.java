package io.rebalancer.coordinator.runtime;

import java.time.Clock;
import java.time.Duration;

/**
 * How long positions are kept that nobody needs.
 *
 * @param period {@code offsets.retention.minutes}
 * @param checkInterval {@code offsets.retention.check.interval.ms}
 * @param clock stamps the moment a group became Empty, as it stamps commits
 */
public record Retention(Duration period, Duration checkInterval, Clock clock) {

  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  private static final Duration MAX_STAMP_LAG = Duration.ofHours(1);

  /** Keeps everything. */
  public static Retention forEver(Clock clock) {
    return new Retention(FOR_EVER, FOR_EVER, clock);
  }

  long periodMs() {
    return period.toMillis();
  }

  /** How old the time of a position's last commit may be in the store when it has not moved. */
  long stampLagMs() {
    return Math.min(MAX_STAMP_LAG.toMillis(), periodMs() / 10);
  }
}
