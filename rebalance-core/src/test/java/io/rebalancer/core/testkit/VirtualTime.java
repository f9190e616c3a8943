package io.rebalancer.core.testkit;

import io.rebalancer.core.time.Scheduler;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that moves only when the test says so, and runs what falls due on the test's own thread
 * in order of time, then of scheduling. Not thread-safe.
 */
public final class VirtualTime implements Ticker, Scheduler {

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::atNanos).thenComparingLong(Task::order));
  private long nowNanos;
  private long scheduled;

  private record Task(long atNanos, long order, Runnable action) {}

  @Override
  public long nanos() {
    return nowNanos;
  }

  @Override
  public Cancellable schedule(Duration delay, Runnable action) {
    Task task = new Task(nowNanos + delay.toNanos(), scheduled++, action);
    tasks.add(task);
    return () -> tasks.remove(task);
  }

  /** Moves the clock on, running everything that falls due on the way, also what that schedules. */
  public void advance(Duration duration) {
    long end = nowNanos + duration.toNanos();
    for (Task next = tasks.peek(); next != null && next.atNanos() <= end; next = tasks.peek()) {
      tasks.remove();
      nowNanos = Math.max(nowNanos, next.atNanos());
      next.action().run();
    }
    nowNanos = end;
  }

  public int pending() {
    return tasks.size();
  }
}
