package io.rebalancer.core.engine;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.LegalName;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicSelection;

/**
 * Who joins which group for what.
 *
 * @param name the member's stable name; the zk engine registers {@code GROUP_NAME} (the original's
 *     {@code consumer.id}), the coordinator engine sends it as {@code client.id}, so that the id it
 *     is given starts with it. Members sort by it in both engines.
 * @param topics by name or by a pattern; each name has to be a {@link LegalName}
 */
public record MemberConfig(GroupId group, String name, TopicSelection topics) {

  public MemberConfig {
    requireNonNull(group, "group");
    requireNonNull(topics, "topics");
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "member name: \"" + name + "\" (expected: not empty, no '/')");
    }
    if (topics instanceof Subscription subscription) {
      subscription.streams().keySet().forEach(topic -> LegalName.demand("topic", topic));
    }
  }

  /**
   * The topics by name.
   *
   * @throws IllegalArgumentException if they are given by a pattern
   */
  public Subscription subscription() {
    if (topics instanceof Subscription subscription) {
      return subscription;
    }
    throw new IllegalArgumentException(
        "topics of member " + name + ": " + topics + " (expected: topics by name)");
  }
}
