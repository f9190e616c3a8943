package io.rebalancer.zk.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Set;

/**
 * What a consumer watches besides its group.
 *
 * @param brokers whether brokers are watched from the start, or only once there were none
 * @param topics whether topics are watched at all
 * @param topicChildren whether a topic's children are watched in place of its data
 * @param deletions whether the deletion of a topic is a reason to rebalance
 * @param excludedTopics what no wildcard matches
 * @param check how often it looks for changes that no watch has told of; zero: never
 */
public record WatchRules(
    boolean brokers,
    boolean topics,
    boolean topicChildren,
    boolean deletions,
    Set<String> excludedTopics,
    Duration check) {

  public WatchRules {
    requireNonNull(check, "check");
    excludedTopics = Set.copyOf(excludedTopics);
  }

  WatchTarget topic(String name) {
    return topicChildren ? WatchTarget.topicChildren(name) : WatchTarget.topic(name);
  }
}
