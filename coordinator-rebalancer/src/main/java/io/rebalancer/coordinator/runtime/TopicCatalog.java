package io.rebalancer.coordinator.runtime;

import io.rebalancer.core.model.PartitionSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** All topics at one moment. */
public final class TopicCatalog {

  private final SortedMap<String, TopicInfo> byName;
  private final Map<UUID, TopicInfo> byId;

  private TopicCatalog(SortedMap<String, TopicInfo> byName) {
    this.byName = Collections.unmodifiableSortedMap(byName);
    byId = new HashMap<>();
    byName.values().forEach(topic -> byId.put(topic.id(), topic));
  }

  public static TopicCatalog of(Map<String, TopicInfo> topics) {
    return new TopicCatalog(new TreeMap<>(topics));
  }

  /** By name, ascending. */
  public SortedMap<String, TopicInfo> topics() {
    return byName;
  }

  public Optional<TopicInfo> named(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  public Optional<TopicInfo> withId(UUID id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** Empty for a topic that is not there. */
  public PartitionSet partitions(String topic) {
    TopicInfo info = byName.get(topic);
    return info == null ? PartitionSet.empty() : info.partitions();
  }

  public boolean contains(String topic, int partition) {
    TopicInfo info = byName.get(topic);
    return info != null && partition >= 0 && info.partitions().contains(partition);
  }
}
