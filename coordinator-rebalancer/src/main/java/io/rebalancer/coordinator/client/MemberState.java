package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One member of a group led through the classic protocol: events in, effects out, no clock and no
 * I/O. Confined to one thread.
 *
 * <p>An eager member owns nothing from the moment a Join is sent until its Sync is answered. A
 * cooperative one (KIP-429) goes on with what it owns, claims it in the Join, gives up what the
 * Sync's answer has no more, and then joins again, for others wait for that.
 *
 * <p>Where the coordinator assigns, the Join's answer has the member's part and there is no Sync.
 * It believes what a Join claims, so that every member that claims anything is cooperative there.
 *
 * <p>Invariants: the ledger is told REVOKED or LOST before any effect that lets the coordinator
 * give the partitions away; the listener's call returns before the member goes on; whatever is
 * owned is owned no longer than the lease lasts, whether a round is under way or not.
 */
final class MemberState {

  static final int NO_GENERATION = -1;

  /** The reason of a Leave that was asked for. */
  static final String CLOSED = "the member was closed";

  private final MemberRules rules;

  MemberPhase phase = MemberPhase.WAITING;
  boolean connected;
  @Nullable MemberId member;
  int generation = NO_GENERATION;

  /** While this member is to assign. */
  @Nullable GroupPlan plan;

  /** The group leader of the generation last joined. */
  boolean leads;

  /** Whether the coordinator assigns, as the last Join's answer has shown. */
  private boolean served;

  int attempt;

  /** Why the next round begins; in STARTING null until that is known. */
  @Nullable String trigger = "join";

  int callsOut;
  boolean callFailed;
  private boolean attemptOpen;
  private Assignment before = Assignment.empty();

  private List<MemberEffect> effects = new ArrayList<>();

  final Holdings holdings = new Holdings(this);
  final RetryPauses retries;
  final TopicListing topics;
  private final MemberTransitions transitions;

  MemberState(MemberRules rules) {
    this.rules = rules;
    this.retries = new RetryPauses(this, rules);
    this.topics = new TopicListing(this, rules);
    this.transitions = new MemberTransitions(this, rules);
  }

  /** The one way in. */
  List<MemberEffect> on(MemberEvent event) {
    effects = new ArrayList<>();
    if (phase != MemberPhase.ENDED) {
      event.accept(transitions);
    }
    return List.copyOf(effects);
  }

  Assignment owned() {
    return holdings.owned;
  }

  void emit(MemberEffect effect) {
    effects.add(effect);
  }

  // Rounds.

  /** Begins the next round as soon as nothing stands against it. */
  void beginWhenReady() {
    if (phase == MemberPhase.WAITING && connected && !retries.armed && callsOut == 0) {
      begin(trigger == null ? "retry" : trigger);
    }
  }

  void begin(String why) {
    openAttempt(why);
    prepare();
  }

  /** Of an attempt that is open. */
  void prepare() {
    if (topics.wanted().byPattern()) {
      phase = MemberPhase.LISTING;
      topics.list();
    } else {
      revoke();
    }
  }

  void revoke() {
    Assignment leaving = holdings.leaving();
    if (!leaving.isEmpty()) {
      call(ListenerCall.REVOKED, leaving);
    }
    phase = MemberPhase.REVOKING;
    if (callsOut == 0) {
      join();
    }
  }

  void openAttempt(String why) {
    attempt++;
    attemptOpen = true;
    before = holdings.owned;
    trigger = null;
    emit(new MemberEffect.BeginAttempt(attempt, why));
  }

  void endAttempt(boolean failed, boolean superseded) {
    if (attemptOpen) {
      attemptOpen = false;
      emit(new MemberEffect.EndAttempt(attempt, failed, superseded, before, holdings.owned));
    }
  }

  void abortAttempt() {
    endAttempt(true, trigger != null);
  }

  /** Whether the coordinator assigned, when it last answered a Join. */
  boolean isServed() {
    return served;
  }

  /** Whether the member goes on with what it owns while it joins. */
  boolean cooperative() {
    return rules.cooperative() || (served && rules.claims());
  }

  /** The listener is done: ask for a new share, or wait for a connection to ask on. */
  void join() {
    if (cooperative()) {
      holdings.dropUnwanted();
      holdings.claimHeld();
      emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    } else {
      holdings.release();
    }
    if (connected) {
      phase = MemberPhase.JOINING;
      sendJoin();
      armHeartbeatBeside();
    } else {
      abortAttempt();
      awaitNextRound("retry");
    }
  }

  void sendJoin() {
    emit(new MemberEffect.SendJoin(attempt, member, topics.wanted().current(), holdings.claim));
  }

  /**
   * A Join was answered. What an eager member has kept because the coordinator assigned is lost
   * when it does so no more, or can no longer say so: a group leader may give it away.
   */
  void joined(int inGeneration, boolean byCoordinator) {
    generation = inGeneration;
    served = byCoordinator;
    if (!cooperative() && !holdings.owned.isEmpty()) {
      lose();
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

  /** The lease runs from the sending of a request that was answered, so never too long. */
  void own(Assignment assignment, long leaseFromNanos) {
    holdings.given = assignment;
    Assignment moved = holdings.owned.minus(holdings.given);
    if (moved.isEmpty()) {
      startGiven();
      renew(leaseFromNanos);
      call(ListenerCall.ASSIGNED, holdings.added);
    } else {
      phase = MemberPhase.SHEDDING;
      renew(leaseFromNanos);
      call(ListenerCall.REVOKED, moved);
    }
  }

  private void renew(long leaseFromNanos) {
    emit(new MemberEffect.RenewLease(leaseFromNanos));
    armHeartbeat();
  }

  void startShed() {
    startGiven();
    call(ListenerCall.ASSIGNED, holdings.added);
  }

  /**
   * What was claimed and not given waits until this member has joined without it. That ends: the
   * Join that follows claims no more than what was given, and the same group is then given the same
   * and what waited.
   */
  private void startGiven() {
    phase = MemberPhase.STARTING;
    if (holdings.takeGiven() && cooperative() && trigger == null) {
      trigger = "withheld";
    }
  }

  /** The membership is over, and with it the right to what was owned. */
  void resetGeneration() {
    generation = NO_GENERATION;
    served = false;
    holdings.claim = holdings.claim.lost();
  }

  /** The coordinator knows this member no more. */
  void forget() {
    member = null;
    resetGeneration();
  }

  /** What was owned may be another's already. */
  void lose() {
    Assignment lost = holdings.owned;
    holdings.forfeit();
    if (!lost.isEmpty()) {
      call(ListenerCall.LOST, lost);
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

  /**
   * What is owned while a Join or Sync is out is owned no longer than its lease either, and that
   * request may wait for others longer than that.
   */
  void heartbeatBeside() {
    if (connected && member != null && generation != NO_GENERATION && !holdings.owned.isEmpty()) {
      emit(new MemberEffect.SendHeartbeatBeside(generation, member));
      armHeartbeatBeside();
    }
  }

  private void armHeartbeatBeside() {
    if (!holdings.owned.isEmpty()) {
      emit(new MemberEffect.ArmTimer(MemberTimer.HEARTBEAT, rules.heartbeatBehindJoin()));
    }
  }

  private void armHeartbeat() {
    emit(new MemberEffect.ArmTimer(MemberTimer.HEARTBEAT, rules.heartbeatInterval()));
  }

  void drop() {
    connected = false;
    emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    emit(new MemberEffect.Disconnect());
  }
}
