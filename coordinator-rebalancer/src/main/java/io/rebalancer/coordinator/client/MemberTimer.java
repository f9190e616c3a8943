package io.rebalancer.coordinator.client;

/** A member's timers: at most one of each is armed; arming replaces. */
enum MemberTimer {
  /** The pause after a failure is over. */
  RETRY,
  /** The next heartbeat is due. */
  HEARTBEAT,
  /** The coordinator may soon count this member as dead. */
  LEASE,
  /** By a pattern: it is time to ask again which topics there are. */
  METADATA,
  /** Group leader: what waits for a vanished member has waited long enough. */
  DELAY,
  /** A call of the listener has taken too long; armed by whoever makes the call. */
  LISTENER,
  /** The application has not called keepAlive() for too long; armed by who takes those calls. */
  POLL
}
