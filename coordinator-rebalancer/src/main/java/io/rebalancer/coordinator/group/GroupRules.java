package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.GroupId;
import java.util.function.Function;

/**
 * The settings the state machine decides by, in milliseconds where they are times; Kafka's names
 * are {@code group.initial.rebalance.delay.ms}, {@code group.min.session.timeout.ms}, {@code
 * group.max.session.timeout.ms} and {@code group.max.size}.
 *
 * @param optionsOf of each group; asked when its first member joins
 */
public record GroupRules(
    int initialRebalanceDelayMs,
    int minSessionTimeoutMs,
    int maxSessionTimeoutMs,
    int maxSize,
    Function<GroupId, GroupOptions> optionsOf) {

  /** Every group a classic one. */
  public GroupRules(
      int initialRebalanceDelayMs, int minSessionTimeoutMs, int maxSessionTimeoutMs, int maxSize) {
    this(
        initialRebalanceDelayMs,
        minSessionTimeoutMs,
        maxSessionTimeoutMs,
        maxSize,
        group -> GroupOptions.CLASSIC);
  }

  GroupOptions options(GroupId group) {
    return optionsOf.apply(group);
  }

  /** Kafka's fixed limit for a first Join to stay parked (KAFKA-7610), in milliseconds. */
  static final int NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;
}
