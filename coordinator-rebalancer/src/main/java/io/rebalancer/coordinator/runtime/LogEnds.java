package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store that notes how far each partition's log reaches at least, as the positions stored in it
 * show: there are no logs here to ask. Thread-safe.
 */
final class LogEnds implements GroupStore {

  private final GroupStore store;
  private final Map<TopicPartition, Long> ends = new ConcurrentHashMap<>();

  LogEnds(GroupStore store) {
    this.store = store;
  }

  /** 0 where nobody has stored a position. */
  long of(TopicPartition partition) {
    return ends.getOrDefault(partition, 0L);
  }

  void note(Map<TopicPartition, CommittedOffset> offsets) {
    offsets.forEach(
        (partition, offset) -> {
          if (offset.offset() > 0) {
            ends.merge(partition, offset.offset(), Math::max);
          }
        });
  }

  @Override
  public CompletableFuture<Void> saveOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Map<TopicPartition, CommittedOffset> changed) {
    return store.saveOffsets(group, stored, changed).thenRun(() -> note(changed));
  }

  @Override
  public CompletableFuture<Void> save(GroupId group, HardState state) {
    return store.save(group, state);
  }

  @Override
  public CompletableFuture<Void> deleteOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Set<TopicPartition> gone) {
    return store.deleteOffsets(group, stored, gone);
  }

  @Override
  public CompletableFuture<Void> delete(GroupId group) {
    return store.delete(group);
  }

  @Override
  public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
    return store.load(group);
  }
}
