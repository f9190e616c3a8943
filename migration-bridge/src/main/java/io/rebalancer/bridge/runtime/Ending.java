package io.rebalancer.bridge.runtime;

import java.util.concurrent.CountDownLatch;

/**
 * The end of a command that runs until it is told to end: by SIGTERM, by SIGINT, or by {@link
 * #begin}. Thread-safe.
 */
public final class Ending {

  private final CountDownLatch told = new CountDownLatch(1);
  private boolean starting = true;

  /**
   * From now on SIGTERM begins the end; it interrupts the calling thread, which has yet to start
   * what the command is about, until that comes to {@link #awaitThen}.
   */
  public void onTerm() {
    Thread command = Thread.currentThread();
    Signals.handle("TERM", () -> interruptStart(command));
  }

  private synchronized void interruptStart(Thread command) {
    begin();
    if (starting) {
      command.interrupt();
    }
  }

  /** For whoever has another reason to end; interrupts nobody. */
  public void begin() {
    told.countDown();
  }

  /** Whether the command has been told to end: a start that failed since then is no failure. */
  public boolean isTold() {
    return told.getCount() == 0;
  }

  /**
   * Blocks until the command is told to end, then does {@code cleanUp}. After SIGTERM it returns,
   * so that the command ends as any command that is done; after SIGINT the process ends as
   * interrupted.
   */
  public void awaitThen(Runnable cleanUp) {
    synchronized (this) {
      starting = false;
      Thread.interrupted(); // It was the signal's; what it asked for follows.
    }
    CountDownLatch done = new CountDownLatch(1);
    Interrupts interrupts =
        Interrupts.onInterrupt(
            () -> {
              begin();
              awaitQuietly(done);
            });
    try {
      awaitQuietly(told);
      cleanUp.run();
    } finally {
      done.countDown();
      interrupts.close();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
