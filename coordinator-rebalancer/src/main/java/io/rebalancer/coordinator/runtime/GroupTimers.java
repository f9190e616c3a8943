package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.TimerId;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.function.BiConsumer;

/** The timers of a shard's groups. For the shard's thread alone. */
final class GroupTimers {

  private record Key(GroupId group, TimerId timer) {}

  private final Ticker ticker;
  private final TimerTable<Key> table = new TimerTable<>();

  GroupTimers(Ticker ticker) {
    this.ticker = ticker;
  }

  void arm(GroupId group, TimerId timer, Duration delay) {
    table.arm(new Key(group, timer), ticker.nanos() + delay.toNanos());
  }

  void cancel(GroupId group, TimerId timer) {
    table.cancel(new Key(group, timer));
  }

  void cancelAll(GroupId group) {
    table.cancelIf(key -> key.group().equals(group));
  }

  void cancelAll() {
    table.cancelIf(key -> true);
  }

  boolean runs(GroupId group, TimerId timer) {
    return table.runs(new Key(group, timer));
  }

  /** 0 when it does not run. */
  int millisLeft(GroupId group, TimerId.Kind kind) {
    Key key = new Key(group, TimerId.ofGroup(kind));
    return (int) Duration.ofNanos(table.nanosLeft(key, ticker.nanos())).toMillis();
  }

  /** {@code Long.MAX_VALUE} for never. */
  long nanosToNext() {
    return table.nanosToNext(ticker.nanos());
  }

  /** Takes out what is due and hands it over in order of deadline. */
  void expire(BiConsumer<GroupId, TimerId> action) {
    table.expire(ticker.nanos(), key -> action.accept(key.group(), key.timer()));
  }
}
