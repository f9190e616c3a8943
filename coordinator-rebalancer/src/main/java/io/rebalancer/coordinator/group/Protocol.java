package io.rebalancer.coordinator.group;

/** An assignment strategy a member knows, and what it wants to tell its group leader with it. */
public record Protocol(String name, Opaque metadata) {}
