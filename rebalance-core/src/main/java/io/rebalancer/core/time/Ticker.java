package io.rebalancer.core.time;

/** A monotonic clock in nanoseconds; only differences mean anything. */
@FunctionalInterface
public interface Ticker {

  long nanos();

  /**
   * {@link System#nanoTime}. On Linux one clock serves all processes of a machine, so records of
   * several JVMs can be put in order.
   */
  static Ticker system() {
    return System::nanoTime;
  }
}
