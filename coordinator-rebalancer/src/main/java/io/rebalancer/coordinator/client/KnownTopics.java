package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What Metadata says of topics.
 *
 * @param partitions of each topic; one that does not exist is missing or has none
 * @param racks for each topic by partition number the racks of its replicas; empty where no server
 *     has a rack
 */
record KnownTopics(Map<String, PartitionSet> partitions, Map<String, List<Set<String>>> racks) {

  KnownTopics {
    partitions = Map.copyOf(partitions);
    racks = Map.copyOf(racks);
  }

  static KnownTopics withoutRacks(Map<String, PartitionSet> partitions) {
    return new KnownTopics(partitions, Map.of());
  }
}
