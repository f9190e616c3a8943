package io.rebalancer.coordinator.runtime;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that runs tasks in the order they came, and timers in between. Requests are bounded;
 * what the coordinator itself has under way (answers of the store) is bounded by them and is never
 * refused.
 */
final class EventLoop implements AutoCloseable {

  /** The timers that the loop serves between tasks. */
  interface Timers {
    long nanosToNext();

    void expire();
  }

  private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
  private static final int MAX_REQUESTS = 100_000;
  private static final int TASKS_BETWEEN_TIMERS = 256;

  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final String name;
  private volatile boolean closed;

  EventLoop(String name) {
    this.name = name;
  }

  void start(Timers timers) {
    Thread thread = new Thread(() -> run(timers), name);
    thread.setDaemon(true);
    thread.start();
  }

  private void run(Timers timers) {
    while (!closed) {
      try {
        Runnable task = tasks.poll(timers.nanosToNext(), TimeUnit.NANOSECONDS);
        for (int i = 0; task != null && i < TASKS_BETWEEN_TIMERS; i++) {
          task.run();
          task = i + 1 < TASKS_BETWEEN_TIMERS ? tasks.poll() : null;
        }
        timers.expire();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (RuntimeException e) {
        LOG.error("{}: a task failed; the loop goes on", name, e);
      }
    }
  }

  /** Runs a request's task, unless too many wait: then false. */
  boolean offer(Runnable task) {
    if (closed || requests.incrementAndGet() > MAX_REQUESTS) {
      requests.decrementAndGet();
      return false;
    }
    tasks.add(
        () -> {
          requests.decrementAndGet();
          task.run();
        });
    return true;
  }

  /** Runs a task in any case. */
  void execute(Runnable task) {
    tasks.add(task);
  }

  /** Ends the thread after the task it runs. */
  @Override
  public void close() {
    closed = true;
    tasks.add(() -> {});
  }
}
