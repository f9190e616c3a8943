package io.rebalancer.zk.registry;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.PartitionSet;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What differs by profile and configuration in how znodes are read, written and watched.
 *
 * @param topicChildren a topic's children are watched in place of its data
 * @param excludedTopics what no wildcard matches
 * @param given topics with their partitions in place of those below /brokers, which is then not
 *     read; empty for what is there
 * @param strict owner nodes are its own only if its own session made them, and a registration that
 *     cannot be read is skipped
 */
public record RegistryRules(
    Release release,
    boolean topicChildren,
    Set<String> excludedTopics,
    SortedMap<String, PartitionSet> given,
    boolean strict) {

  public RegistryRules {
    requireNonNull(release, "release");
    excludedTopics = Set.copyOf(excludedTopics);
    given = Collections.unmodifiableSortedMap(new TreeMap<>(given));
  }
}
