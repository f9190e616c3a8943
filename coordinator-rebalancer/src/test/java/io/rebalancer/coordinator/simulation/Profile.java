package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.ClientInfo;

/** How a member is set up; times in milliseconds. */
record Profile(
    Era era,
    boolean cooperative,
    boolean idRequired,
    boolean ours,
    String instanceId,
    int sessionMs,
    int rebalanceMs,
    int heartbeatMs,
    int pollMs,
    int commitMs) {

  boolean isStatic() {
    return !instanceId.isEmpty();
  }

  String software() {
    return ours ? ClientInfo.OWN_SOFTWARE : "apache-kafka-java";
  }
}
