package io.rebalancer.core.time;

import java.time.Duration;

/** Runs a task once after a delay. Implementations say on which thread. */
@FunctionalInterface
public interface Scheduler {

  /** Returns a handle that prevents the task from starting, when it has not started yet. */
  Cancellable schedule(Duration delay, Runnable task);

  /** A pending task. */
  @FunctionalInterface
  interface Cancellable {
    /** Idempotent; no effect on a task that runs or has run. */
    void cancel();
  }
}
