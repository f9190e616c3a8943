package io.rebalancer.core.engine;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;

/**
 * Who joins which group for what.
 *
 * @param name the member's stable name; the zk engine registers {@code GROUP_NAME} (the original's
 *     {@code consumer.id}), the coordinator engine sends it as {@code client.id}, so that the id it
 *     is given starts with it. Members sort by it in both engines.
 */
public record MemberConfig(GroupId group, String name, Subscription subscription) {

  public MemberConfig {
    requireNonNull(group, "group");
    requireNonNull(subscription, "subscription");
    if (name.isEmpty() || name.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "member name: \"" + name + "\" (expected: not empty, no '/')");
    }
  }
}
