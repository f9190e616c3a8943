package io.rebalancer.coordinator.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * In which racks the replicas of partitions are. A broker that is gone keeps the rack it had: it
 * will come back there, and its replicas have not moved. Not safe for several threads.
 */
final class ReplicaRacks {

  private final Map<Integer, String> ofBroker = new HashMap<>();
  private final Map<String, List<List<Integer>>> replicas = new HashMap<>();
  private final Map<String, List<Set<String>>> ofTopic = new HashMap<>();

  /**
   * A broker has registered.
   *
   * @return whether its rack is another than before
   */
  boolean broker(int id, Optional<String> rack) {
    String before = rack.isPresent() ? ofBroker.put(id, rack.get()) : ofBroker.remove(id);
    boolean changed = !Objects.equals(before, rack.orElse(null));
    if (changed) {
      ofTopic.clear();
      if (!ofBroker.isEmpty()) {
        replicas.forEach((name, brokers) -> ofTopic.put(name, racks(brokers)));
      }
    }
    return changed;
  }

  /**
   * A topic has been read.
   *
   * @param brokers by partition number, who has a replica; empty for a topic that is gone
   */
  void topic(String name, List<List<Integer>> brokers) {
    ofTopic.remove(name);
    replicas.remove(name);
    if (!brokers.isEmpty()) {
      replicas.put(name, brokers);
      if (!ofBroker.isEmpty()) {
        ofTopic.put(name, racks(brokers));
      }
    }
  }

  /** Of each topic by partition number; empty where no broker has a rack. */
  Map<String, List<Set<String>>> ofTopics() {
    return ofTopic;
  }

  private List<Set<String>> racks(List<List<Integer>> brokers) {
    Map<List<Integer>, Set<String>> known = new HashMap<>();
    return brokers.stream().map(each -> known.computeIfAbsent(each, this::among)).toList();
  }

  private Set<String> among(List<Integer> brokers) {
    return brokers.stream()
        .map(ofBroker::get)
        .filter(Objects::nonNull)
        .collect(Collectors.toUnmodifiableSet());
  }
}
