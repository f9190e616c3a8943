package io.rebalancer.bridge.experiment;

import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Waits until a group is settled: every partition has the one owner that the assignor says, by the
 * members' own belief, nobody is in a rebalance, and nothing has moved for a quiet time, which is
 * not counted.
 */
final class Settling {

  private static final long POLL_MS = 20;

  private final Ticker ticker;
  private final Cancellation cancellation;
  private final Duration quiet;

  Settling(Ticker ticker, Cancellation cancellation, Duration quiet) {
    this.ticker = ticker;
    this.cancellation = cancellation;
    this.quiet = quiet;
  }

  /**
   * Returns when the group last moved, not before {@code triggeredNanos}; empty if it is not
   * settled by the deadline.
   *
   * @throws CancelledException if the run is cancelled meanwhile
   */
  OptionalLong await(Stage stage, Recorder recorder, long triggeredNanos, Duration deadline) {
    while (true) {
      cancellation.check();
      long lastMove = Math.max(triggeredNanos, recorder.lastChangeNanos());
      long now = ticker.nanos();
      if (now - lastMove >= quiet.toNanos()
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
