package io.rebalancer.coordinator.client;

/** A member's timers: at most one of each is armed; arming replaces. */
enum MemberTimer {
  /** The pause after a failure is over. */
  RETRY,
  /** The next heartbeat is due. */
  HEARTBEAT,
  /** The coordinator may soon count this member as dead. */
  LEASE
}
