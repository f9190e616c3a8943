package io.rebalancer.coordinator.simulation;

/** What must hold after every event, and what must come about once the faults have stopped. */
enum Invariant {
  /**
   * In one stored generation no partition is in two members' shares; in a server-assigned group
   * none is held by two.
   */
  ONE_OWNER,
  /**
   * No partition is granted to, or taken up by, a member while another processes it by right. A
   * member has the right to what its last Sync gave it as long as the stored generation names it
   * among its members; a process that goes on after that is a zombie, which only fencing stops.
   */
  EXCLUSIVE,
  /**
   * While partitions of a server-assigned group wait for a member that vanished, nobody is to have
   * them, and nobody loses others.
   */
  LOST_WAITS,
  /** No generation is announced that is not higher than all before it. */
  GENERATIONS_RISE,
  /**
   * No share and no commit is confirmed before the store has it, and nothing stored later is behind
   * what a member was told.
   */
  STORED_FIRST,
  /** A position is removed only when it was kept for the time of retention. */
  POSITIONS_ARE_KEPT,
  /** An answer is of the kind, the member and the connection's oldest request it belongs to. */
  RIGHT_ANSWER,
  /**
   * A member is removed, or its generation refused, only if it was silent for its session timeout,
   * missed a join phase or its Sync for its rebalance timeout, left, or was never stored before its
   * coordinator was lost.
   */
  FAITHFUL_STAYS,
  /** A request that the shard was given is answered once, unless its process ends before. */
  ANSWERED_ONCE,
  /** No state contradicts itself: no group is dropped to be read back. */
  CONSISTENT,
  /** Once the faults have stopped, the group settles within the bound and stays so. */
  SETTLES
}
