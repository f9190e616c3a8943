package io.rebalancer.coordinator.client;

import java.time.Duration;

/**
 * What a {@link MemberState} goes by.
 *
 * @param cooperative as {@link Strategy#cooperative}
 * @param isStatic it has a {@code group.instance.id}: its place is kept for it when it ends
 */
record MemberRules(
    boolean cooperative,
    boolean isStatic,
    Duration heartbeatInterval,
    Duration retryBackoff,
    Duration retryBackoffMax) {

  static MemberRules of(CoordinatorClientConfig config, Strategy strategy) {
    return new MemberRules(
        strategy.cooperative(),
        config.groupInstanceId().isPresent(),
        config.heartbeatInterval(),
        config.retryBackoff(),
        config.retryBackoffMax());
  }
}
