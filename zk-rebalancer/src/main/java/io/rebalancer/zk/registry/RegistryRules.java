package io.rebalancer.zk.registry;

import static java.util.Objects.requireNonNull;

import java.util.Set;

/**
 * What differs by profile and configuration in how znodes are read, written and watched.
 *
 * @param topicChildren a topic's children are watched in place of its data
 * @param excludedTopics what no wildcard matches
 * @param strict owner nodes are its own only if its own session made them, and a registration that
 *     cannot be read is skipped
 */
public record RegistryRules(
    Release release, boolean topicChildren, Set<String> excludedTopics, boolean strict) {

  public RegistryRules {
    requireNonNull(release, "release");
    excludedTopics = Set.copyOf(excludedTopics);
  }
}
