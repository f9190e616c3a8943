package io.rebalancer.coordinator.group;

/**
 * The settings the state machine decides by, in milliseconds where they are times; Kafka's names
 * are {@code group.initial.rebalance.delay.ms}, {@code group.min.session.timeout.ms}, {@code
 * group.max.session.timeout.ms} and {@code group.max.size}.
 */
public record GroupRules(
    int initialRebalanceDelayMs, int minSessionTimeoutMs, int maxSessionTimeoutMs, int maxSize) {

  /** Kafka's fixed limit for a first Join to stay parked (KAFKA-7610), in milliseconds. */
  static final int NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000;
}
