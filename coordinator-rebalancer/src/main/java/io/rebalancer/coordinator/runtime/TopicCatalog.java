package io.rebalancer.coordinator.runtime;

import io.rebalancer.core.model.PartitionSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** All topics at one moment. */
public final class TopicCatalog {

  private final SortedMap<String, TopicInfo> byName;
  private final Map<UUID, TopicInfo> byId;

  private final Map<String, List<Set<String>>> racks;

  private TopicCatalog(SortedMap<String, TopicInfo> byName, Map<String, List<Set<String>>> racks) {
    this.byName = Collections.unmodifiableSortedMap(byName);
    this.racks = Map.copyOf(racks);
    byId = new HashMap<>();
    byName.values().forEach(topic -> byId.put(topic.id(), topic));
  }

  public static TopicCatalog of(Map<String, TopicInfo> topics) {
    return of(topics, Map.of());
  }

  /**
   * @param racks of topics by partition number, in which racks replicas are; empty where no broker
   *     has a rack
   */
  public static TopicCatalog of(
      Map<String, TopicInfo> topics, Map<String, List<Set<String>>> racks) {
    return new TopicCatalog(new TreeMap<>(topics), racks);
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

  /** Of these topics by partition number, in which racks replicas are, where that is known. */
  public Map<String, List<Set<String>>> racks(Collection<String> topics) {
    Map<String, List<Set<String>>> found = new HashMap<>();
    if (!racks.isEmpty()) {
      for (String topic : topics) {
        List<Set<String>> known = racks.get(topic);
        if (known != null) {
          found.put(topic, known);
        }
      }
    }
    return found;
  }

  public boolean contains(String topic, int partition) {
    TopicInfo info = byName.get(topic);
    return info != null && partition >= 0 && info.partitions().contains(partition);
  }
}
