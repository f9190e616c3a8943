package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /** Doubled so often at most: a millisecond is then more than any pause. */
  private static final int MAX_DOUBLINGS = 31;

  private final MemberRules rules;
  private final WantedTopics wanted;

  MemberPhase phase = MemberPhase.WAITING;
  boolean connected;
  @Nullable MemberId member;
  int generation = NO_GENERATION;
  Assignment owned = Assignment.empty();

  /** What the next Join says. */
  Claim claim = Claim.NONE;

  /** While this member is to assign. */
  @Nullable GroupPlan plan;

  /** The group leader of the generation last joined. */
  boolean leads;

  /** Whether the coordinator assigns, as the last Join's answer has shown. */
  private boolean served;

  /** What the round brought: in CONFIRMING and SHEDDING not yet owned. */
  Assignment given = Assignment.empty();

  /** In STARTING: what is new to the listener. */
  private Assignment added = Assignment.empty();

  int attempt;

  /** Why the next round begins; in STARTING null until that is known. */
  @Nullable String trigger = "join";

  /** Close was asked for while the first Join was out, whose answer names the member. */
  boolean leaveOnceNamed;

  /** Close was asked for while a Join or Sync was out. */
  boolean connectionBusy;

  /** In LEAVING: the listener is called when there is a connection on which it can commit. */
  boolean revokeOnceConnected;

  /** In AWAY: Leave is out. */
  boolean goodbyeOut;

  /** The application has begun to call keepAlive() and is late with it. */
  boolean pollOverdue;

  boolean retryArmed;
  int callsOut;
  boolean callFailed;
  private int failures;
  private int ownedSince;
  private boolean attemptOpen;
  private Assignment before = Assignment.empty();

  /** The pattern's topics were last asked for so long ago that it is time to ask again. */
  private boolean listingDue;

  private List<MemberEffect> effects = new ArrayList<>();
  private final MemberTransitions transitions = new MemberTransitions(this);

  MemberState(MemberRules rules) {
    this.rules = rules;
    this.wanted = new WantedTopics(rules.topics());
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
    prepare();
  }

  /** Of an attempt that is open. */
  void prepare() {
    if (wanted.byPattern()) {
      phase = MemberPhase.LISTING;
      list();
    } else {
      revoke();
    }
  }

  private void revoke() {
    Assignment leaving = leaving();
    if (!leaving.isEmpty()) {
      call(ListenerCall.REVOKED, leaving);
    }
    phase = MemberPhase.REVOKING;
    if (callsOut == 0) {
      join();
    }
  }

  /** What the listener has to give up before the Join. */
  private Assignment leaving() {
    return cooperative() ? wanted.unwanted(owned) : owned;
  }

  // Topics of a pattern.

  /** Without a connection it is done as soon as there is one. */
  void list() {
    if (connected) {
      emit(new MemberEffect.ListTopics(attempt));
    }
  }

  void listingDue() {
    listingDue = true;
    listIfDue();
  }

  /** Elsewhere than in STABLE a round is on, and was or will be begun by asking. */
  void listIfDue() {
    if (listingDue && phase == MemberPhase.STABLE) {
      list();
    }
  }

  /**
   * A round goes on with what there is now. Between rounds one begins if that is something else
   * than this member joined for.
   */
  void listed(Set<String> topics) {
    listingDue = false;
    emit(new MemberEffect.ArmTimer(MemberTimer.METADATA, rules.metadataMaxAge()));
    if (phase == MemberPhase.LISTING) {
      wanted.take(topics);
      revoke();
    } else if (wanted.wouldChange(topics)) {
      begin("topics");
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

  /** Whether the member goes on with what it owns while it joins. */
  private boolean cooperative() {
    return rules.cooperative() || (served && rules.claims());
  }

  /** The listener is done: ask for a new share, or wait for a connection to ask on. */
  void join() {
    if (cooperative()) {
      dropUnwanted();
      claimHeld();
      emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    } else {
      release();
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
    emit(new MemberEffect.SendJoin(attempt, member, wanted.current(), claim));
  }

  /**
   * A Join was answered. What an eager member has kept because the coordinator assigned is lost
   * when it does so no more, or can no longer say so: a group leader may give it away.
   */
  void joined(int inGeneration, boolean byCoordinator) {
    generation = inGeneration;
    served = byCoordinator;
    if (!cooperative() && !owned.isEmpty()) {
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
    given = assignment;
    Assignment moved = owned.minus(given);
    if (moved.isEmpty()) {
      startGiven();
      renew(leaseFromNanos);
      call(ListenerCall.ASSIGNED, added);
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

  /** The listener has given up what moves. */
  void shed() {
    Assignment moved = owned.minus(given);
    record(LedgerEntry.Kind.REVOKED, moved);
    owned = owned.minus(moved);
    if (owned.isEmpty()) {
      ownedSince = generation;
    }
  }

  void startShed() {
    startGiven();
    call(ListenerCall.ASSIGNED, added);
  }

  /**
   * What was claimed and not given waits until this member has joined without it. That ends: the
   * Join that follows claims no more than what was given, and the same group is then given the same
   * and what waited.
   */
  private void startGiven() {
    phase = MemberPhase.STARTING;
    added = given.minus(owned);
    owned = given;
    ownedSince = generation;
    if (cooperative() && trigger == null && !claim.owned().minus(given).isEmpty()) {
      trigger = "withheld";
    }
    record(LedgerEntry.Kind.ASSIGNED, added);
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
    if (!cooperative() && generation == ownedSince) {
      claim = Claim.of(owned, generation);
    }
  }

  /**
   * A cooperative member's claim: in the generation it last joined, whether its Sync brought
   * anything or not, for that generation's leader was told of it and gave it to nobody else
   * (kafka-clients 3.4, KAFKA-13419). A member that never had anything says what it said before.
   */
  private void claimHeld() {
    if (generation != NO_GENERATION && !(owned.isEmpty() && claim.owned().isEmpty())) {
      claim = Claim.of(owned, generation);
    }
  }

  /** The membership is over, and with it the right to what was owned. */
  void resetGeneration() {
    generation = NO_GENERATION;
    served = false;
    claim = claim.lost();
  }

  /** The listener has failed to give up what it had to before the Join: it has it no longer. */
  void revokeFailed() {
    if (cooperative()) {
      dropUnwanted();
    } else {
      release();
    }
  }

  private void dropUnwanted() {
    Assignment unwanted = wanted.unwanted(owned);
    record(LedgerEntry.Kind.REVOKED, unwanted);
    owned = owned.minus(unwanted);
  }

  /** The coordinator knows this member no more. */
  void forget() {
    member = null;
    resetGeneration();
  }

  /** The listener has given up all that was owned. */
  void release() {
    record(LedgerEntry.Kind.REVOKED, owned);
    owned = Assignment.empty();
    cancelTimersOfOwner();
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
    record(LedgerEntry.Kind.LOST, owned);
    owned = Assignment.empty();
    cancelTimersOfOwner();
  }

  private void cancelTimersOfOwner() {
    if (owned.isEmpty()) {
      emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
      emit(new MemberEffect.CancelTimer(MemberTimer.LEASE));
    }
  }

  private void record(LedgerEntry.Kind kind, Assignment partitions) {
    if (!partitions.isEmpty()) {
      emit(new MemberEffect.WriteLedger(kind, partitions, ownedSince));
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
    if (connected && member != null && generation != NO_GENERATION && !owned.isEmpty()) {
      emit(new MemberEffect.SendHeartbeatBeside(generation, member));
      armHeartbeatBeside();
    }
  }

  private void armHeartbeatBeside() {
    if (!owned.isEmpty()) {
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
    Duration doubled = rules.retryBackoff().multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
    Duration most = rules.retryBackoffMax();
    return doubled.compareTo(most) < 0 ? doubled : most;
  }

  void succeeded() {
    failures = 0;
  }

  // The end.

  /** What was owned is given up: say goodbye. A static member's place is kept, without a word. */
  void leave() {
    release();
    revokeOnceConnected = false;
    if (member == null || rules.isStatic()) {
      end(null);
    } else {
      phase = MemberPhase.LEFT;
      emit(new MemberEffect.SendLeave(member, !connected || connectionBusy, CLOSED));
    }
  }

  /** The application or its listener is too slow for the group: leaves it until they are back. */
  void goAway(String why) {
    MemberId leaver = rules.isStatic() ? null : member;
    boolean busy = phase.inRound();
    lose();
    abortAttempt();
    member = null;
    resetGeneration();
    phase = MemberPhase.AWAY;
    goodbyeOut = leaver != null;
    retryArmed = false;
    emit(new MemberEffect.CancelTimer(MemberTimer.RETRY));
    if (leaver != null) {
      emit(new MemberEffect.SendLeave(leaver, !connected || busy, why));
      connected = false;
    } else {
      drop();
    }
  }

  /** Joins again once the goodbye is said and whoever was too slow is back. */
  void comeBackWhenReady() {
    if (phase == MemberPhase.AWAY && !goodbyeOut && !pollOverdue && callsOut == 0) {
      awaitNextRound("poll");
      emit(new MemberEffect.Seek());
    }
  }

  void end(@Nullable String failure) {
    phase = MemberPhase.ENDED;
    connected = false;
    emit(new MemberEffect.End(failure));
  }
}
