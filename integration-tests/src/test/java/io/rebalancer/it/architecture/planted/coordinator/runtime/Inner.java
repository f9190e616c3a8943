package io.rebalancer.it.architecture.planted.coordinator.runtime;

/** Nothing an engine's user should see. */
public class Inner {}
