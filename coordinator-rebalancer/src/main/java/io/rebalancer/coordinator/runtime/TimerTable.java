package io.rebalancer.coordinator.runtime;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Timers by key, for one thread. Arming a timer that runs only moves its deadline: its queue entry
 * stays where it is and is put back when it comes up early, so that a heartbeat costs one map
 * access. Entries of cancelled timers are recognised by their token and dropped.
 */
final class TimerTable<K> {

  private static final class Timer {
    final long token;
    long deadline;

    Timer(long token, long deadline) {
      this.token = token;
      this.deadline = deadline;
    }
  }

  private record Entry<K>(K key, long token, long at) {}

  private final Map<K, Timer> timers = new HashMap<>();
  private final PriorityQueue<Entry<K>> queue =
      new PriorityQueue<>((a, b) -> Long.compare(a.at() - b.at(), 0));
  private long lastToken;

  void arm(K key, long deadlineNanos) {
    Timer timer = timers.get(key);
    if (timer != null && timer.deadline - deadlineNanos <= 0) {
      timer.deadline = deadlineNanos;
      return;
    }
    // Not running, or due earlier than its entry in the queue would come up.
    long token = ++lastToken;
    timers.put(key, new Timer(token, deadlineNanos));
    queue.add(new Entry<>(key, token, deadlineNanos));
  }

  void cancel(K key) {
    timers.remove(key);
  }

  void cancelIf(Predicate<K> which) {
    timers.keySet().removeIf(which);
  }

  boolean runs(K key) {
    return timers.containsKey(key);
  }

  /** How long the timer still runs; 0 when it does not. */
  long nanosLeft(K key, long nowNanos) {
    Timer timer = timers.get(key);
    return timer == null ? 0 : Math.max(0, timer.deadline - nowNanos);
  }

  int size() {
    return timers.size();
  }

  int queued() {
    return queue.size();
  }

  /** When {@link #expire} has to be called next; {@code Long.MAX_VALUE} nanoseconds for never. */
  long nanosToNext(long nowNanos) {
    Entry<K> first = queue.peek();
    return first == null ? Long.MAX_VALUE : Math.max(0, first.at() - nowNanos);
  }

  /** Takes out what is due and hands it over in order of deadline. */
  void expire(long nowNanos, Consumer<K> action) {
    for (Entry<K> first = queue.peek();
        first != null && first.at() - nowNanos <= 0;
        first = queue.peek()) {
      queue.remove();
      Timer timer = timers.get(first.key());
      if (timer == null || timer.token != first.token()) {
        continue;
      }
      if (timer.deadline - nowNanos > 0) {
        queue.add(new Entry<>(first.key(), first.token(), timer.deadline));
      } else {
        timers.remove(first.key());
        action.accept(first.key());
      }
    }
  }
}
