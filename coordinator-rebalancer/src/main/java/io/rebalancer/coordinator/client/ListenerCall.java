package io.rebalancer.coordinator.client;

/** Which method of the listener is called. */
enum ListenerCall {
  REVOKED("onRevoked"),
  ASSIGNED("onAssigned"),
  LOST("onLost");

  private final String method;

  ListenerCall(String method) {
    this.method = method;
  }

  String method() {
    return method;
  }
}
