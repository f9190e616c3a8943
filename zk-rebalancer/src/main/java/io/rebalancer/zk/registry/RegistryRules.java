package io.rebalancer.zk.registry;

import static java.util.Objects.requireNonNull;

import java.util.Set;

/**
 * What differs by profile and configuration in how znodes are read, written and watched.
 *
 * @param topicChildren a topic's children are watched in place of its data
 * @param excludedTopics what no wildcard matches
 */
public record RegistryRules(Release release, boolean topicChildren, Set<String> excludedTopics) {

  public RegistryRules {
    requireNonNull(release, "release");
    excludedTopics = Set.copyOf(excludedTopics);
  }
}
