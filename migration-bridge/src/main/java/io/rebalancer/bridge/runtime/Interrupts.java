package io.rebalancer.bridge.runtime;

import java.util.concurrent.CountDownLatch;

/** Work to be done when the process is told to end (SIGINT, SIGTERM) before its command has. */
public final class Interrupts {

  private final Thread hook;

  private Interrupts(Runnable cleanUp) {
    this.hook = new Thread(cleanUp, "interrupted");
  }

  /** The work runs on a thread of its own; the process ends when it has returned. */
  public static Interrupts onInterrupt(Runnable cleanUp) {
    Interrupts interrupts = new Interrupts(cleanUp);
    Runtime.getRuntime().addShutdownHook(interrupts.hook);
    return interrupts;
  }

  /**
   * Blocks until the process is told to end, then does {@code cleanUp}. After SIGTERM it returns,
   * so that the command ends as any command that is done; after SIGINT the process ends as
   * interrupted.
   */
  public static void awaitThen(Runnable cleanUp) {
    awaitThen(new CountDownLatch(1), cleanUp);
  }

  /** As above; {@code told} may also be counted down by whoever has another reason to end. */
  public static void awaitThen(CountDownLatch told, Runnable cleanUp) {
    CountDownLatch done = new CountDownLatch(1);
    Signals.handle("TERM", told::countDown);
    Interrupts interrupts =
        onInterrupt(
            () -> {
              told.countDown();
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

  /** The command has ended by itself: nothing is left to do. */
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending; the work is under way.
    }
  }
}
