package io.rebalancer.zk.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.rebalancer.zk.runtime.GroupRegistry.Sighting;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells a change whose watch was lost from one whose event is on its way: an answer may overtake an
 * event, but not by a second. Thread-safe.
 */
final class WatchCheck {

  private static final long EVENT_NANOS = SECONDS.toNanos(1);

  private final long everyNanos;
  private final Map<WatchTarget, Sighting> seen = new ConcurrentHashMap<>();
  private final Set<WatchTarget> fired = ConcurrentHashMap.newKeySet();
  private final Set<WatchTarget> suspected = ConcurrentHashMap.newKeySet();
  private volatile long lastNanos = System.nanoTime();

  /** Makes one that is due every so often; zero: never. */
  WatchCheck(Duration every) {
    everyNanos = every.toNanos();
  }

  boolean isWanted() {
    return everyNanos > 0;
  }

  /** A second after a suspicion at the latest. */
  long dueInNanos() {
    long every = suspected.isEmpty() ? everyNanos : Math.min(everyNanos, EVENT_NANOS);
    return Math.max(0, lastNanos + every - System.nanoTime());
  }

  void begin() {
    lastNanos = System.nanoTime();
  }

  void fired(WatchTarget target) {
    fired.add(target);
  }

  /** Before it is looked at because its watch fired. */
  void delivering(WatchTarget target) {
    fired.remove(target);
    suspected.remove(target);
  }

  /** Whether it is another than at the look before. */
  boolean seen(WatchTarget target, Sighting now) {
    return !now.equals(seen.put(target, now));
  }

  /**
   * Whether it has changed, at the look before this one already, and no event has come. True once
   * for a change.
   */
  boolean isLost(WatchTarget target, Sighting now) {
    if (now.equals(seen.get(target)) || fired.contains(target)) {
      suspected.remove(target);
      return false;
    }
    if (suspected.add(target)) {
      return false;
    }
    suspected.remove(target);
    seen.put(target, now);
    return true;
  }
}
