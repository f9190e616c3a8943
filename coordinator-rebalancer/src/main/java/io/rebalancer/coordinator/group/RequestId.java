package io.rebalancer.coordinator.group;

/** Names one request until it is answered; unique within an event loop. */
public record RequestId(long value) {}
