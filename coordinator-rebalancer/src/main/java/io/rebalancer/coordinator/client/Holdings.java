package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;

/**
 * What a {@link MemberState} owns, by right of which generation, and what it claims. The ledger is
 * told here and nowhere else.
 */
final class Holdings {

  private final MemberState state;

  /** What the listener has been told to process, or may go on with while a round is on. */
  Assignment owned = Assignment.empty();

  /** What the round brought: in CONFIRMING and SHEDDING not yet owned. */
  Assignment given = Assignment.empty();

  /** What the next Join says. */
  Claim claim = Claim.NONE;

  /** In STARTING: what is new to the listener. */
  Assignment added = Assignment.empty();

  private int ownedSince;

  Holdings(MemberState state) {
    this.state = state;
  }

  /** What the listener has to give up before the Join. */
  Assignment leaving() {
    return state.cooperative() ? state.topics.wanted().unwanted(owned) : owned;
  }

  /** All that was given is owned; whether any of what was claimed is not among it. */
  boolean takeGiven() {
    added = given.minus(owned);
    owned = given;
    ownedSince = state.generation;
    record(LedgerEntry.Kind.ASSIGNED, added);
    return !claim.owned().minus(given).isEmpty();
  }

  /** The listener has given up what moves. */
  void shed() {
    Assignment moved = owned.minus(given);
    record(LedgerEntry.Kind.REVOKED, moved);
    owned = owned.minus(moved);
    if (owned.isEmpty()) {
      ownedSince = state.generation;
    }
  }

  /** The listener failed to start: what it was to start with is not owned. */
  void giveBack() {
    Assignment failed = owned.and(added);
    record(LedgerEntry.Kind.REVOKED, failed);
    owned = owned.minus(failed);
    cancelTimersOfOwner();
  }

  /**
   * An eager member's claim, not before the listener has started: a follower that joins again
   * because it failed then says what it said before, and disturbs nobody. What has been lost
   * meanwhile is not claimed.
   */
  void claimStarted() {
    if (!state.cooperative() && state.generation == ownedSince) {
      claim = Claim.of(owned, state.generation);
    }
  }

  /**
   * A cooperative member's claim: in the generation it last joined, whether its Sync brought
   * anything or not, for that generation's leader was told of it and gave it to nobody else
   * (kafka-clients 3.4, KAFKA-13419). A member that never had anything says what it said before,
   * but where the coordinator assigns: it believes no Join of an earlier generation.
   */
  void claimHeld() {
    boolean something = !(owned.isEmpty() && claim.owned().isEmpty());
    if (state.generation != MemberState.NO_GENERATION && (something || state.isServed())) {
      claim = Claim.of(owned, state.generation);
    }
  }

  /** The listener has failed to give up what it had to before the Join: it has it no longer. */
  void revokeFailed() {
    if (state.cooperative()) {
      dropUnwanted();
    } else {
      release();
    }
  }

  void dropUnwanted() {
    Assignment unwanted = state.topics.wanted().unwanted(owned);
    record(LedgerEntry.Kind.REVOKED, unwanted);
    owned = owned.minus(unwanted);
  }

  /** The listener has given up all that was owned. */
  void release() {
    record(LedgerEntry.Kind.REVOKED, owned);
    owned = Assignment.empty();
    cancelTimersOfOwner();
  }

  /** What was owned may be another's already. */
  void forfeit() {
    record(LedgerEntry.Kind.LOST, owned);
    owned = Assignment.empty();
    cancelTimersOfOwner();
  }

  private void cancelTimersOfOwner() {
    if (owned.isEmpty()) {
      state.emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
      state.emit(new MemberEffect.CancelTimer(MemberTimer.LEASE));
    }
  }

  private void record(LedgerEntry.Kind kind, Assignment partitions) {
    if (!partitions.isEmpty()) {
      state.emit(new MemberEffect.WriteLedger(kind, partitions, ownedSince));
    }
  }
}
