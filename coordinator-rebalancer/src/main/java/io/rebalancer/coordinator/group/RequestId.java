package io.rebalancer.coordinator.group;

/** Names one request until it is answered; unique within a coordinator. */
public record RequestId(long value) {}
