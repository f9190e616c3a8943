package io.rebalancer.bridge.experiment;

import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Waits until a group is settled: the change has taken effect, every partition has the one owner
 * that the assignor says, by the members' own belief, nobody is in a rebalance, and nothing has
 * moved for a quiet time, which is not counted.
 */
final class Settling {

  private static final long POLL_MS = 20;

  private final Ticker ticker;
  private final Runnable check;
  private final Duration quiet;

  /** {@code check} is called often while waiting; what it throws ends the wait. */
  Settling(Ticker ticker, Runnable check, Duration quiet) {
    this.ticker = ticker;
    this.check = check;
    this.quiet = quiet;
  }

  /**
   * Returns when the group last moved, not before {@code triggeredNanos}; empty if it is not
   * settled by the deadline.
   *
   * @param inEffect whether those who must react to the change have: an assignment that it does not
   *     alter looks settled before anybody has heard of it
   */
  OptionalLong await(
      Stage stage,
      Recorder recorder,
      long triggeredNanos,
      BooleanSupplier inEffect,
      Duration deadline) {
    while (true) {
      check.run();
      long lastMove = Math.max(triggeredNanos, recorder.lastChangeNanos());
      long now = ticker.nanos();
      if (now - lastMove >= quiet.toNanos()
          && inEffect.getAsBoolean()
          && recorder.nobodyAttempts()
          && stage.beliefs().equals(stage.rightful())) {
        return OptionalLong.of(lastMove);
      }
      if (now - triggeredNanos > deadline.toNanos()) {
        return OptionalLong.empty();
      }
      recorder.awaitNews(POLL_MS);
    }
  }
}
