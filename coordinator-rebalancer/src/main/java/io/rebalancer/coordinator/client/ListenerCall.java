package io.rebalancer.coordinator.client;

/** Which method of the listener is called. */
enum ListenerCall {
  REVOKED,
  ASSIGNED,
  LOST
}
