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

/**
 * Port: where groups survive their coordinator. Futures complete on a thread of the store, with
 * {@link StoreException} when they fail; writes of one group are applied in the order asked.
 */
public interface GroupStore {

  CompletableFuture<Void> save(GroupId group, HardState state);

  /**
   * Stores {@code changed}; {@code stored} is what the store has already and is read before this
   * method returns.
   */
  CompletableFuture<Void> saveOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Map<TopicPartition, CommittedOffset> changed);

  /** Removes the positions in {@code gone}; {@code stored} as in {@link #saveOffsets}. */
  CompletableFuture<Void> deleteOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Set<TopicPartition> gone);

  /** Removes the group with everything it has; no harm if there is nothing. */
  CompletableFuture<Void> delete(GroupId group);

  /** Empty when the store does not know the group. */
  CompletableFuture<Optional<StoredGroup>> load(GroupId group);
}
