package io.rebalancer.zk.registry;

import java.util.Set;

/**
 * What differs between releases, and by configuration, in how znodes are read and written.
 *
 * @param excludedTopics what no wildcard matches
 */
public record RegistryRules(Set<String> excludedTopics) {

  public RegistryRules {
    excludedTopics = Set.copyOf(excludedTopics);
  }
}
