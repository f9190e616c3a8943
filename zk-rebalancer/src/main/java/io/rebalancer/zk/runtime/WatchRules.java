package io.rebalancer.zk.runtime;

import java.util.Set;

/**
 * What a consumer watches and reads besides its group and its topics.
 *
 * @param brokers whether brokers are watched from the start, or only once there were none
 * @param excludedTopics what no wildcard matches
 */
public record WatchRules(boolean brokers, Set<String> excludedTopics) {

  public WatchRules {
    excludedTopics = Set.copyOf(excludedTopics);
  }
}
