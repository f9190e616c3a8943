package io.rebalancer.zk.protocol;

/**
 * What a consumer is waiting for. Watch events may come in every phase; they set a flag and change
 * no phase but {@link #READY}.
 */
public enum Phase {
  /** Made, not started. Exit: Started, to REGISTERING. */
  NEW,
  /**
   * The answer to its registration. Exits: Registered, to SUBSCRIBING; Failed, to LEAVING; Held, to
   * REGISTRATION_HELD.
   */
  REGISTERING,
  /** The end of its wait for another's registration to go. Exits: to REGISTERING, to LEAVING. */
  REGISTRATION_HELD,
  /** Its watches to be set. Exits: Subscribed, to the first attempt; Failed, to LEAVING. */
  SUBSCRIBING,
  /** The next event from outside. */
  READY,
  /** The brokers, read although assignment does not need them. Zero brokers end the attempt. */
  READING_BROKERS,
  /** The listener to stop processing. */
  REVOKING,
  /** The deletion of every owner node it holds. */
  RELEASING,
  /** The registrations and topics of the group. */
  READING_GROUP,
  /** The offsets of the partitions it is going to claim. */
  READING_OFFSETS,
  /** The outcome of its claims. */
  CLAIMING,
  /** The deletion of the owner nodes it won in an attempt that lost another. */
  GIVING_BACK,
  /** The listener to start processing. */
  ASSIGNING,
  /** The listener to stop processing after an attempt that failed before anything was released. */
  STOPPING,
  /** The end of the back-off. */
  BACKING_OFF,
  /** The listener to stop processing, then its session to close. */
  LEAVING,
  /** Nothing, for good. */
  GONE;
}
