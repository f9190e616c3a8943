package io.rebalancer.bridge.runtime;

import java.util.concurrent.CountDownLatch;
import sun.misc.Signal;

/** Work to be done when the process is told to end (SIGINT, SIGTERM) before its command has. */
public final class Interrupts implements AutoCloseable {

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
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    Signal.handle(new Signal("TERM"), signal -> told.countDown());
    Interrupts interrupts =
        onInterrupt(
            () -> {
              told.countDown();
              awaitQuietly(done);
            });
    try (interrupts) {
      awaitQuietly(told);
      cleanUp.run();
    } finally {
      done.countDown();
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
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending; the work is under way.
    }
  }
}
