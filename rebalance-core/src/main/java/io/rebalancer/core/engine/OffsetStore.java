package io.rebalancer.core.engine;

import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.Set;

/**
 * Where an application keeps the offsets of a group when ZooKeeper does not: the original's {@code
 * offsets.storage=kafka}, or any store of the application's own. Called on the member's threads,
 * which wait for the answer while they hold up the rebalance: repeat what may succeed, and be
 * bounded. An exception fails the commit, or the rebalance attempt that asked.
 */
public interface OffsetStore {

  /** The stored offsets of those of {@code partitions} that have one. */
  Map<TopicPartition, Long> fetch(Set<TopicPartition> partitions);

  /** Stores the offsets; returns the partitions for which that succeeded. */
  Set<TopicPartition> commit(Map<TopicPartition, Long> offsets);
}
