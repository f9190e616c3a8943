package io.rebalancer.coordinator.simulation;

/**
 * What speaks for a member: whether it has kept its side since the present coordinator knows it.
 * Written from the requests and answers that pass, without looking into the shard.
 */
final class Witness {

  final String id;
  final String instanceId;
  final int sessionMs;
  final int rebalanceMs;

  /** When its session began anew. */
  long heard;

  /** Its Joins and Syncs that wait for an answer: who waits is alive. */
  int joinsParked;

  int syncsParked;

  /** The generation that this coordinator has told it, or had stored for it. */
  int told;

  /** When it certainly had nothing to let go of. */
  long calm;

  /** Whether it has asked for its share of the present generation. */
  boolean synced;

  /** Whether its last Join came over a connection that it has given up. */
  boolean strayJoin;

  /** Why it may be removed, empty when it may not. */
  String excuse = "";

  Witness(String id, String instanceId, int sessionMs, int rebalanceMs, long heard, int told) {
    this.id = id;
    this.instanceId = instanceId;
    this.sessionMs = sessionMs;
    this.rebalanceMs = rebalanceMs;
    this.heard = heard;
    this.told = told;
    calm = heard;
  }

  boolean waits() {
    return joinsParked + syncsParked > 0;
  }

  void excuse(String why) {
    if (excuse.isEmpty()) {
      excuse = why;
    }
  }

  void checkSession(long now) {
    if (!waits() && now - heard >= sessionMs) {
      excuse("silent for " + (now - heard) + " ms");
    }
  }

  void checkRevocation(long now) {
    if (now - calm >= rebalanceMs) {
      excuse("may have had to let go of partitions for " + (now - calm) + " ms");
    }
  }
}
