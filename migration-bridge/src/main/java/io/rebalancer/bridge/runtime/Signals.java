package io.rebalancer.bridge.runtime;

import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * POSIX signals by name, such as {@code TERM}. The JDK has no other way to tell one from another;
 * the warning that this is internal API cannot be switched off, so it stays in this class.
 */
public final class Signals {

  private Signals() {}

  /** From now on the signal does nothing else than {@code action}, on a thread of its own. */
  static void handle(String name, Runnable action) {
    Signal.handle(new Signal(name), signal -> action.run());
  }

  public static void ignore(String name) {
    Signal.handle(new Signal(name), SignalHandler.SIG_IGN);
  }
}
