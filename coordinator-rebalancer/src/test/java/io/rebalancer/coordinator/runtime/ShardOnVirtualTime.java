package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A shard as {@link GroupRuntime} makes it, with a queue in place of its event loop: tasks wait
 * until {@link #run}, which serves them in their order and then the timers, as the loop does.
 */
public final class ShardOnVirtualTime {

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final GroupShard shard;

  public ShardOnVirtualTime(
      GroupRules rules,
      GroupStore store,
      Leadership leadership,
      RebalanceObserver observer,
      Ticker ticker,
      TopicSource topics,
      Executor assigning,
      String readableType,
      Function<Assignment, Opaque> encoder,
      Function<Opaque, Optional<Assignment>> reader,
      Retention retention) {
    shard =
        new GroupShard(
            new GroupStateMachine(rules, encoder),
            store,
            leadership,
            new ServerAssignor(topics, assigning),
            new GroupJournal(observer, ticker, readableType, reader, GroupMeter.NONE),
            ticker,
            tasks::add,
            retention);
  }

  public void request(
      GroupId group,
      RequestKind kind,
      Function<RequestId, GroupEvent> event,
      Consumer<Answer> answer) {
    tasks.add(() -> shard.request(group, kind, event, answer));
  }

  public void fetchOffsets(
      GroupId group,
      Consumer<GroupError> refused,
      Consumer<Map<TopicPartition, CommittedOffset>> answer) {
    tasks.add(() -> shard.fetchOffsets(group, refused, answer));
  }

  public void restore(Map<GroupId, StoredGroup> groups, TopicCatalog catalog) {
    tasks.add(() -> shard.restore(groups, catalog));
  }

  public void topicsChanged(Set<String> topics) {
    tasks.add(() -> shard.topicsChanged(topics));
  }

  public void standingChanged() {
    tasks.add(shard::standingChanged);
  }

  /** Serves what waits, then the timers that are due, until nothing is left to do at this time. */
  public void run() {
    do {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
      shard.expire();
    } while (!tasks.isEmpty());
  }

  /** When {@link #run} has something to do again, unless something comes before. */
  public long nanosToNext() {
    return shard.nanosToNext();
  }
}
