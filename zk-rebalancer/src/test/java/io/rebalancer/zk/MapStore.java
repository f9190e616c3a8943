package io.rebalancer.zk;

import io.rebalancer.core.engine.OffsetStore;
import io.rebalancer.core.model.TopicPartition;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps offsets in memory; refuses those of the partitions it is told to. */
final class MapStore implements OffsetStore {

  final Map<TopicPartition, Long> stored = new ConcurrentHashMap<>();
  final Set<TopicPartition> refused = ConcurrentHashMap.newKeySet();

  @Override
  public Map<TopicPartition, Long> fetch(Set<TopicPartition> partitions) {
    Map<TopicPartition, Long> found = new HashMap<>(stored);
    found.keySet().retainAll(partitions);
    return found;
  }

  @Override
  public Set<TopicPartition> commit(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> taken = new HashMap<>(offsets);
    taken.keySet().removeAll(refused);
    stored.putAll(taken);
    return taken.keySet();
  }
}
