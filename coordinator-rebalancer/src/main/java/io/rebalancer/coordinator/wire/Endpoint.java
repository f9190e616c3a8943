package io.rebalancer.coordinator.wire;

/** Where clients reach a coordinator, and the id by which Kafka's protocol names it. */
public record Endpoint(int nodeId, String host, int port) {}
