package io.rebalancer.zk.runtime;

import io.rebalancer.core.time.SystemScheduler;
import org.jspecify.annotations.Nullable;

/**
 * Commits after each interval, on a thread of its own that there is from the first report on: a
 * consumer that reports no positions has nothing to commit. Thread-safe.
 */
final class AutoCommit implements AutoCloseable {

  private final String thread;
  private final OffsetRules rules;
  private final Runnable commit;
  private @Nullable SystemScheduler scheduler;
  private boolean closed;

  AutoCommit(String thread, OffsetRules rules, Runnable commit) {
    this.thread = thread;
    this.rules = rules;
    this.commit = commit;
  }

  /** Idempotent. */
  synchronized void start() {
    if (rules.auto() && scheduler == null && !closed) {
      scheduler = new SystemScheduler(thread);
      schedule(scheduler);
    }
  }

  /** The scheduler drops the next task when it is closed. */
  private void schedule(SystemScheduler started) {
    started.schedule(
        rules.interval(),
        () -> {
          commit.run();
          again(started);
        });
  }

  private synchronized void again(SystemScheduler started) {
    if (!closed) {
      schedule(started);
    }
  }

  /** Does not wait for a commit that runs. */
  @Override
  public synchronized void close() {
    closed = true;
    if (scheduler != null) {
      scheduler.close();
    }
  }
}
