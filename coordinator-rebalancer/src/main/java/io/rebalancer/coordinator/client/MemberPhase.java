package io.rebalancer.coordinator.client;

/** Where a member stands. A round runs from Join to Sync. */
enum MemberPhase {
  /** Owns nothing, no round: for a connection, for a pause to end, or for the listener. */
  WAITING,
  /** A round has begun; the listener is giving up what is owned. Heartbeats go on. */
  REVOKING,
  /** Join is out. No beat from here to the Sync's answer. */
  JOINING,
  /** Group leader: asking for the topics' partitions. */
  ASSIGNING,
  /** Sync is out. */
  SYNCING,
  /** The Sync was answered so late that the coordinator is asked whether it still holds. */
  CONFIRMING,
  /** The Sync was answered, the listener is being told. Heartbeats from here on. */
  STARTING,
  /** Owns, processes, sends heartbeats. */
  STABLE,
  /** Closing: the listener is giving up what is owned. Heartbeats go on. */
  LEAVING,
  /** Closing: Leave is out. */
  LEFT,
  /** Nothing happens any more. */
  ENDED
}
