package io.rebalancer.coordinator.simulation;

/** Faults that the simulation itself plants around the shard, each to be found by an invariant. */
enum PlantedFault {
  NONE(null, 0),
  /** The group leader's shares are handed on with one partition given to two members. */
  GIVES_A_PARTITION_TWICE(Invariant.ONE_OWNER, 5),
  /** The group leader is shown what members said when they joined first. */
  KEEPS_THE_FIRST_SUBSCRIPTION(Invariant.EXCLUSIVE, 50),
  /** A failed-over coordinator reads the write before the last. */
  RESTORES_THE_STATE_BEFORE(Invariant.GENERATIONS_RISE, 100),
  /** Writes are confirmed when they are asked for. */
  CONFIRMS_BEFORE_STORED(Invariant.STORED_FIRST, 5),
  /** A Sync is answered with another member's share. */
  ANSWERS_WITH_ANOTHERS_SHARE(Invariant.RIGHT_ANSWER, 5),
  /** Two answers on one connection change places. */
  SWAPS_CORRELATION_IDS(Invariant.RIGHT_ANSWER, 5),
  /** The shard's clock runs at double speed. */
  HURRIES(Invariant.FAITHFUL_STAYS, 20),
  /** Heartbeats are answered without reaching the group. */
  FORGETS_HEARTBEATS(Invariant.FAITHFUL_STAYS, 20),
  /** Now and then an answer comes twice. */
  ANSWERS_TWICE(Invariant.ANSWERED_ONCE, 5),
  /** Now and then a Join is never answered. */
  FORGETS_A_JOIN(Invariant.ANSWERED_ONCE, 50),
  /** Now and then a group's event fails as a contradiction would. */
  BREAKS_A_STATE(Invariant.CONSISTENT, 10),
  /** Of a server-assigned group the first member is stored as holding another's partition too. */
  STORES_TWO_HOLDERS(Invariant.ONE_OWNER, 50),
  /** Of a server-assigned group a member's share is stored as it was before. */
  STORES_THE_SHARE_BEFORE(Invariant.STORED_FIRST, 50),
  /** A cooperative member that joins again is taken to have let go of everything. */
  IGNORES_WHAT_IS_KEPT(Invariant.EXCLUSIVE, 100),
  /** What waits for a vanished member is stored as the first member's. */
  GIVES_AWAY_WHAT_IS_LOST(Invariant.LOST_WAITS, 100),
  /** A group's removal is confirmed and not done. */
  CONFIRMS_DELETIONS_THAT_ARE_NOT(Invariant.STORED_FIRST, 100),
  /** Positions that nobody needs are kept until the next check. */
  FORGETS_POSITIONS_EARLY(Invariant.POSITIONS_ARE_KEPT, 20),
  /** Members are told of a rebalance for ever. */
  NEVER_CALMS_DOWN(Invariant.SETTLES, 5);

  final Invariant breaks;

  /** Within so many seeds. */
  final int seeds;

  PlantedFault(Invariant breaks, int seeds) {
    this.breaks = breaks;
    this.seeds = seeds;
  }
}
