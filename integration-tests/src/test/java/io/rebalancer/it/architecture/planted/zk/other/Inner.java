package io.rebalancer.it.architecture.planted.zk.other;

/** Nothing an engine's user should see. */
public class Inner {}
