package io.rebalancer.coordinator.group;

import java.util.EnumSet;
import java.util.Set;

/** Where a group stands (Kafka: {@code ClassicGroupState}). Names are those Kafka's tools show. */
public enum GroupPhase {
  /**
   * No members; offsets may exist. Join: the first member starts the initial delay. Commit without
   * generation: accepted. Everything else: UNKNOWN_MEMBER_ID.
   */
  EMPTY("Empty"),
  /**
   * Members are asked to join again. Join: parked. Heartbeat and Sync: REBALANCE_IN_PROGRESS.
   * Commit: accepted, since members store positions before they give partitions up. Exits: all
   * joined or the timer, to CompletingRebalance or, without members, to Empty.
   */
  PREPARING_REBALANCE("PreparingRebalance"),
  /**
   * A generation exists, its assignment does not. Sync: parked until the group leader's is stored.
   * Heartbeat: NONE. Commit: REBALANCE_IN_PROGRESS. Exits: stored, to Stable; any change of members
   * or a member that does not sync, to PreparingRebalance.
   */
  COMPLETING_REBALANCE("CompletingRebalance"),
  /** Everybody has, or can fetch, its part. Sync: answered with it. Exit: any change. */
  STABLE("Stable"),
  /**
   * Server-assigned groups only (KIP-848's word): an assignment is awaited, by joining members or
   * by partitions that wait for whoever lost them. Join: parked while one is computed. Everything
   * else as in Stable.
   */
  ASSIGNING("Assigning"),
  /**
   * Server-assigned groups only (KIP-848's word): not everybody has yet what it is to have.
   * Heartbeat: REBALANCE_IN_PROGRESS for whoever must let go or can take. Everything else as in
   * Stable.
   */
  RECONCILING("Reconciling"),
  /** Dropped, or another coordinator's. Everything is answered COORDINATOR_NOT_AVAILABLE. */
  DEAD("Dead");

  private final String text;

  GroupPhase(String text) {
    this.text = text;
  }

  /** Whether Kafka's table of valid previous states allows it, or a server-assigned group may. */
  boolean mayBecome(GroupPhase next) {
    Set<GroupPhase> legal =
        switch (this) {
          case EMPTY -> EnumSet.of(PREPARING_REBALANCE, ASSIGNING, DEAD);
          case PREPARING_REBALANCE -> EnumSet.of(COMPLETING_REBALANCE, EMPTY, DEAD);
          case COMPLETING_REBALANCE -> EnumSet.of(STABLE, PREPARING_REBALANCE, DEAD);
          case STABLE -> EnumSet.of(PREPARING_REBALANCE, ASSIGNING, EMPTY, DEAD);
          case ASSIGNING -> EnumSet.of(ASSIGNING, RECONCILING, STABLE, EMPTY, DEAD);
          case RECONCILING -> EnumSet.of(ASSIGNING, STABLE, EMPTY, DEAD);
          case DEAD -> EnumSet.of(DEAD);
        };
    return legal.contains(next);
  }

  @Override
  public String toString() {
    return text;
  }
}
