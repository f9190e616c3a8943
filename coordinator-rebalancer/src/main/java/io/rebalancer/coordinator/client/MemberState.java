package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One member of a group led through the classic protocol, eager: events in, effects out, no clock
 * and no I/O. Confined to one thread.
 *
 * <p>Invariants: nothing is owned from the moment a Join is sent until its Sync is answered, and
 * the ledger is told REVOKED or LOST before any effect that lets the coordinator give the
 * partitions away; the listener's call returns before the member goes on.
 */
final class MemberState {

  static final int NO_GENERATION = -1;

  /** Doubled so often at most: 2^4 > 10, the cap in {@link #backoff}. */
  private static final int MAX_DOUBLINGS = 4;

  private final boolean inTwoRounds;
  private final Duration heartbeatInterval;
  private final Duration retryBackoff;

  MemberPhase phase = MemberPhase.WAITING;
  boolean connected;
  @Nullable MemberId member;
  int generation = NO_GENERATION;
  Assignment owned = Assignment.empty();

  /** What the next Join says. */
  Claim claim = Claim.NONE;

  /** While this member is to assign. */
  @Nullable GroupPlan plan;

  /** In CONFIRMING: what the Sync brought. */
  Assignment unconfirmed = Assignment.empty();

  int attempt;

  /** Why the next round begins; in STARTING null until that is known. */
  @Nullable String trigger = "join";

  /** Close was asked for while the first Join was out, whose answer names the member. */
  boolean leaveOnceNamed;

  /** Close was asked for while a Join or Sync was out. */
  boolean connectionBusy;

  boolean retryArmed;
  int callsOut;
  boolean callFailed;
  private int failures;
  private int ownedSince;
  private boolean attemptOpen;
  private Assignment before = Assignment.empty();
  private List<MemberEffect> effects = new ArrayList<>();
  private final MemberTransitions transitions = new MemberTransitions(this);

  /**
   * @param inTwoRounds as {@link Strategy#inTwoRounds}
   */
  MemberState(boolean inTwoRounds, Duration heartbeatInterval, Duration retryBackoff) {
    this.inTwoRounds = inTwoRounds;
    this.heartbeatInterval = heartbeatInterval;
    this.retryBackoff = retryBackoff;
  }

  /** The one way in. */
  List<MemberEffect> on(MemberEvent event) {
    effects = new ArrayList<>();
    if (phase != MemberPhase.ENDED) {
      event.accept(transitions);
    }
    return List.copyOf(effects);
  }

  void emit(MemberEffect effect) {
    effects.add(effect);
  }

  // Rounds.

  /** Begins the next round as soon as nothing stands against it. */
  void beginWhenReady() {
    if (phase == MemberPhase.WAITING && connected && !retryArmed && callsOut == 0) {
      begin(trigger == null ? "retry" : trigger);
    }
  }

  void begin(String why) {
    openAttempt(why);
    if (!owned.isEmpty()) {
      call(ListenerCall.REVOKED, owned);
    }
    phase = MemberPhase.REVOKING;
    if (callsOut == 0) {
      join();
    }
  }

  void openAttempt(String why) {
    attempt++;
    attemptOpen = true;
    before = owned;
    trigger = null;
    emit(new MemberEffect.BeginAttempt(attempt, why));
  }

  void endAttempt(boolean failed, boolean superseded) {
    if (attemptOpen) {
      attemptOpen = false;
      emit(new MemberEffect.EndAttempt(attempt, failed, superseded, before, owned));
    }
  }

  void abortAttempt() {
    endAttempt(true, trigger != null);
  }

  /** What was owned is given up: ask for a new share, or wait for a connection to ask on. */
  void join() {
    release();
    if (connected) {
      phase = MemberPhase.JOINING;
      emit(new MemberEffect.SendJoin(attempt, member, claim));
    } else {
      abortAttempt();
      awaitNextRound("retry");
    }
  }

  void sync(Map<MemberId, Assignment> shares, MemberId self) {
    plan = null;
    phase = MemberPhase.SYNCING;
    emit(new MemberEffect.SendSync(attempt, generation, self, shares));
  }

  void awaitNextRound(String why) {
    phase = MemberPhase.WAITING;
    trigger = why;
  }

  // Ownership.

  /**
   * The lease runs from the sending of a request that was answered, so never too long.
   *
   * <p>What was claimed and not given waits, in a strategy of two rounds, until this member has
   * joined without it. That ends: the Join that follows claims no more than what was given, and the
   * same group is then given the same and what waited.
   */
  void own(Assignment assignment, long leaseFromNanos) {
    phase = MemberPhase.STARTING;
    owned = assignment;
    ownedSince = generation;
    if (inTwoRounds && !claim.owned().minus(assignment).isEmpty()) {
      trigger = "withheld";
      claimOwned();
    }
    record(LedgerEntry.Kind.ASSIGNED);
    emit(new MemberEffect.RenewLease(leaseFromNanos));
    armHeartbeat();
    call(ListenerCall.ASSIGNED, owned);
  }

  /**
   * Not before the listener has started: a follower that joins again because it failed then says
   * what it said before, and disturbs nobody. What has been lost meanwhile is not claimed.
   */
  void claimOwned() {
    if (generation == ownedSince) {
      claim = Claim.of(owned, generation);
    }
  }

  /** The membership is over, and with it the right to what was owned. */
  void resetGeneration() {
    generation = NO_GENERATION;
    claim = claim.lost();
  }

  /** The listener has given up what was owned. */
  void release() {
    record(LedgerEntry.Kind.REVOKED);
    owned = Assignment.empty();
    emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    emit(new MemberEffect.CancelTimer(MemberTimer.LEASE));
  }

  /** What was owned may be another's already. */
  void lose() {
    Assignment lost = owned;
    forfeit();
    if (!lost.isEmpty()) {
      call(ListenerCall.LOST, lost);
    }
  }

  /** As {@link #lose}, without a word to the listener. */
  void forfeit() {
    record(LedgerEntry.Kind.LOST);
    owned = Assignment.empty();
    emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    emit(new MemberEffect.CancelTimer(MemberTimer.LEASE));
  }

  private void record(LedgerEntry.Kind kind) {
    if (!owned.isEmpty()) {
      emit(new MemberEffect.WriteLedger(kind, owned, ownedSince));
    }
  }

  void call(ListenerCall call, Assignment partitions) {
    callsOut++;
    emit(new MemberEffect.CallListener(call, partitions));
  }

  // Connection and time.

  void heartbeat() {
    if (connected && member != null && generation != NO_GENERATION) {
      emit(new MemberEffect.SendHeartbeat(generation, member));
      armHeartbeat();
    }
  }

  private void armHeartbeat() {
    emit(new MemberEffect.ArmTimer(MemberTimer.HEARTBEAT, heartbeatInterval));
  }

  void drop() {
    connected = false;
    emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    emit(new MemberEffect.Disconnect());
  }

  void pause() {
    retryArmed = true;
    emit(new MemberEffect.ArmTimer(MemberTimer.RETRY, backoff()));
    failures++;
  }

  /** As {@link #pause}, unless one is on already or the coordinator is being sought. */
  void pauseOnce() {
    if (connected && !retryArmed) {
      pause();
    }
  }

  private Duration backoff() {
    Duration doubled = retryBackoff.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
    Duration most = retryBackoff.multipliedBy(10);
    return doubled.compareTo(most) < 0 ? doubled : most;
  }

  void succeeded() {
    failures = 0;
  }

  // The end.

  /** What was owned is given up: say goodbye. */
  void leave() {
    release();
    if (member == null) {
      end(null);
    } else {
      phase = MemberPhase.LEFT;
      emit(new MemberEffect.SendLeave(member, !connected || connectionBusy));
    }
  }

  void end(@Nullable String failure) {
    phase = MemberPhase.ENDED;
    connected = false;
    emit(new MemberEffect.End(failure));
  }
}
