package io.rebalancer.bridge.experiment;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets a signal end a run: the run notices at its next step, cleans up, and says that it has. */
public final class Cancellation {

  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean cancelled;

  /** Called by the run, often; throws {@link CancelledException} once cancelled. */
  void check() {
    if (cancelled) {
      throw new CancelledException();
    }
  }

  /** Called by the run when it has cleaned up, however it ended. */
  public void ended() {
    ended.countDown();
  }

  public boolean isCancelled() {
    return cancelled;
  }

  /** Asks the run to end and waits until it has, at most that long. */
  public void cancelAndWait(long atMostMs) {
    cancelled = true;
    try {
      ended.await(atMostMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
