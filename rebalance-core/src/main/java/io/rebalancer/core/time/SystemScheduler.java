package io.rebalancer.core.time;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Real time: runs tasks one after another on one daemon thread of its own. */
public final class SystemScheduler implements Scheduler, AutoCloseable {

  private final ScheduledThreadPoolExecutor executor;

  public SystemScheduler(String threadName) {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, threadName);
              thread.setDaemon(true);
              return thread;
            });
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** On this scheduler's own thread: the task must not block. */
  @Override
  public Cancellable schedule(Duration delay, Runnable task) {
    ScheduledFuture<?> future = executor.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Drops what has not started; returns at once. */
  @Override
  public void close() {
    executor.shutdown();
  }
}
