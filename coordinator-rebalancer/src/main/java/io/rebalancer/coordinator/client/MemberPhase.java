package io.rebalancer.coordinator.client;

/** Where a member stands. A round runs from Join to Sync. */
enum MemberPhase {
  /**
   * No round: for a connection, for a pause to end, or for the listener. Only a cooperative member
   * may own something here, and in the phases from JOINING to CONFIRMING.
   */
  WAITING,
  /** By a pattern: a round has begun, which topics there are is asked for. Heartbeats go on. */
  LISTING,
  /**
   * A round has begun; the listener is giving up what is owned, a cooperative one what is not
   * wanted any more. Heartbeats go on.
   */
  REVOKING,
  /**
   * Join is out. From here to the answer that says what the member has, heartbeats go on another
   * connection, and only as long as something is owned.
   */
  JOINING,
  /** Group leader: asking for the topics' partitions. */
  ASSIGNING,
  /** Sync is out. */
  SYNCING,
  /** The Sync was answered so late that the coordinator is asked whether it still holds. */
  CONFIRMING,
  /**
   * Cooperative: the Sync was answered, the listener is giving up what moves. Heartbeats from here
   * on.
   */
  SHEDDING,
  /** The Sync was answered, the listener is being told. Heartbeats from here on. */
  STARTING,
  /** Owns, processes, sends heartbeats. */
  STABLE,
  /** Closing: the listener is giving up what is owned. Heartbeats go on. */
  LEAVING,
  /** Closing: Leave is out. */
  LEFT,
  /** Left the group because the application or its listener was too slow; may come back. */
  AWAY,
  /** Nothing happens any more. */
  ENDED;

  /** The connection is taken by a Join or Sync, which the coordinator answers when it likes. */
  boolean inRound() {
    return switch (this) {
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> true;
      case WAITING, LISTING, REVOKING, SHEDDING, STARTING, STABLE, LEAVING, LEFT, AWAY, ENDED ->
          false;
    };
  }

  /** A Join or Sync is out, or what the group leader needs for one is asked for. */
  boolean waitsForAnswer() {
    return inRound() && this != CONFIRMING;
  }

  /** Heartbeats go out on the one connection, and their answers count. */
  boolean heartbeats() {
    return switch (this) {
      case LISTING, REVOKING, SHEDDING, STARTING, STABLE, LEAVING -> true;
      case WAITING, JOINING, ASSIGNING, SYNCING, CONFIRMING, LEFT, AWAY, ENDED -> false;
    };
  }
}
