package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.TopicSelection;
import java.time.Duration;

/**
 * What a {@link MemberState} goes by.
 *
 * @param cooperative as {@link Strategy#cooperative}
 * @param claims as {@link Strategy#claims}
 * @param topics what it wants
 * @param isStatic it has a {@code group.instance.id}: its place is kept for it when it ends
 * @param heartbeatBehindJoin how long a Join or Sync is out until a member that still owns
 *     something asks on another connection whether it is still counted as alive, and then again and
 *     again
 * @param metadataMaxAge how long after it has asked which topics there are a member with a pattern
 *     asks again
 */
record MemberRules(
    boolean cooperative,
    boolean claims,
    boolean isStatic,
    TopicSelection topics,
    Duration heartbeatInterval,
    Duration heartbeatBehindJoin,
    Duration metadataMaxAge,
    Duration retryBackoff,
    Duration retryBackoffMax) {

  static MemberRules of(CoordinatorClientConfig config, Strategy strategy, TopicSelection topics) {
    return new MemberRules(
        strategy.cooperative(),
        strategy.claims(),
        config.groupInstanceId().isPresent(),
        topics,
        config.heartbeatInterval(),
        config.lease().dividedBy(3),
        config.metadataMaxAge(),
        config.retryBackoff(),
        config.retryBackoffMax());
  }
}
