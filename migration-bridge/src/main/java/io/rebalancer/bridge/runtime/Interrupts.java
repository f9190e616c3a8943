package io.rebalancer.bridge.runtime;

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

  /** The command has ended by itself: nothing is left to do. */
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending; the work is under way.
    }
  }
}
