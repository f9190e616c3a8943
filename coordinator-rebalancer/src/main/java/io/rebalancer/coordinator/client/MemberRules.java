package io.rebalancer.coordinator.client;

import java.time.Duration;

/**
 * What a {@link MemberState} goes by.
 *
 * @param cooperative as {@link Strategy#cooperative}
 * @param claims as {@link Strategy#claims}
 * @param isStatic it has a {@code group.instance.id}: its place is kept for it when it ends
 */
record MemberRules(
    boolean cooperative,
    boolean claims,
    boolean isStatic,
    Duration heartbeatInterval,
    Duration retryBackoff,
    Duration retryBackoffMax) {

  static MemberRules of(CoordinatorClientConfig config, Strategy strategy) {
    return new MemberRules(
        strategy.cooperative(),
        strategy.claims(),
        config.groupInstanceId().isPresent(),
        config.heartbeatInterval(),
        config.retryBackoff(),
        config.retryBackoffMax());
  }
}
