package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.AWAY;
import static io.rebalancer.coordinator.client.MemberPhase.ENDED;
import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.LEFT;
import static io.rebalancer.coordinator.client.MemberPhase.REVOKING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.STARTING;
import static io.rebalancer.coordinator.client.MemberPhase.SYNCING;
import static io.rebalancer.coordinator.client.MemberPhase.WAITING;
import static io.rebalancer.coordinator.client.SimulatedGroup.rules;
import static io.rebalancer.coordinator.client.SimulatedGroup.sendJoin;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.AskTopics;
import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.CancelTimer;
import io.rebalancer.coordinator.client.MemberEffect.Disconnect;
import io.rebalancer.coordinator.client.MemberEffect.End;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.RenewLease;
import io.rebalancer.coordinator.client.MemberEffect.Seek;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeat;
import io.rebalancer.coordinator.client.MemberEffect.SendLeave;
import io.rebalancer.coordinator.client.MemberEffect.SendSync;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MemberStateTest {

  private static final Duration HEARTBEAT = Duration.ofSeconds(3);
  private static final MemberId M1 = new MemberId("m1-uuid");
  private static final MemberId M2 = new MemberId("m2-uuid");
  private static final Assignment NOTHING = Assignment.empty();
  private static final Assignment SHARE = Assignment.of("t", PartitionSet.range(0, 2));
  private static final Assignment OTHER = Assignment.of("t", PartitionSet.range(1, 3));

  private static final Claim HELD = Claim.of(SHARE, 7);
  private static final Claim LOST = HELD.lost();

  private final MemberState state = new MemberState(rules(false, false));

  @Test
  void aMemberSeeksItsCoordinatorTakesAnIdAndJoinsWithIt() {
    assertThat(on(new MemberEvent.Started())).containsExactly(new Seek());
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new BeginAttempt(1, "join"), sendJoin(1, null, Claim.NONE));

    List<MemberEffect> named = on(joined(1, Errors.MEMBER_ID_REQUIRED, -1, M1, null));

    assertThat(named).containsExactly(sendJoin(1, M1, Claim.NONE));
    assertThat(state.phase).isEqualTo(JOINING);
  }

  @Test
  void e30TheGroupLeaderAsksForTopicsAndSyncsEverybodysShare() {
    joining();
    Map<MemberId, Subscription> group =
        Map.of(M1, Subscription.copyOf(Map.of("t", 1)), M2, Subscription.copyOf(Map.of("t", 2)));

    List<MemberEffect> leading = on(joined(1, Errors.NONE, 7, M1, group));
    List<MemberEffect> assigned =
        on(
            new MemberEvent.TopicsKnown(
                1, KnownTopics.withoutRacks(Map.of("t", PartitionSet.range(0, 7)))));

    assertThat(leading).containsExactly(new AskTopics(1, new TreeSet<>(List.of("t"))));
    assertThat(assigned)
        .containsExactly(
            new SendSync(
                1,
                7,
                M1,
                Map.of(
                    M1, Assignment.of("t", PartitionSet.range(0, 3)),
                    M2, Assignment.of("t", PartitionSet.range(3, 4)))));
  }

  @Test
  void aFollowerSyncsWithoutShares() {
    joining();

    assertThat(on(joined(1, Errors.NONE, 7, M1, null)))
        .containsExactly(new SendSync(1, 7, M1, Map.of()));
    assertThat(state.phase).isEqualTo(SYNCING);
  }

  @Test
  void ownershipIsRecordedBeforeTheListenerIsTold() {
    syncing();

    List<MemberEffect> effects = on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, false));

    assertThat(effects)
        .containsExactly(
            new WriteLedger(Kind.ASSIGNED, SHARE, 7),
            new RenewLease(55),
            new MemberEffect.ArmTimer(MemberTimer.HEARTBEAT, HEARTBEAT),
            new CallListener(ListenerCall.ASSIGNED, SHARE));
    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(new EndAttempt(1, false, false, NOTHING, SHARE));
    assertThat(state.phase).isEqualTo(STABLE);
  }

  @Test
  void aSyncAnsweredLateIsConfirmedByAHeartbeatBeforeAnythingIsOwned() {
    syncing();

    List<MemberEffect> late = acts(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, true));
    Assignment between = state.owned();
    List<MemberEffect> confirmed = on(new MemberEvent.Told(7, Errors.NONE, 99));

    assertThat(late).containsExactly(new SendHeartbeat(7, M1));
    assertThat(between).isEqualTo(NOTHING);
    assertThat(confirmed).contains(new WriteLedger(Kind.ASSIGNED, SHARE, 7), new RenewLease(99));
    assertThat(state.phase).isEqualTo(STARTING);
  }

  @Test
  void aSyncAnsweredTooLateIsARoundThatFailed() {
    syncing();
    on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, true));

    assertThat(acts(new MemberEvent.Told(7, Errors.UNKNOWN_MEMBER_ID, 99)))
        .containsExactly(new EndAttempt(1, true, false, NOTHING, NOTHING), retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY)))
        .containsExactly(new BeginAttempt(2, "lost"), sendJoin(2, null, Claim.NONE));
  }

  @Test
  void aMemberThatGetsNothingIsToldSoAndRecordsNothing() {
    syncing();

    List<MemberEffect> effects = acts(new MemberEvent.Synced(1, Errors.NONE, NOTHING, 55, false));

    assertThat(effects).containsExactly(new CallListener(ListenerCall.ASSIGNED, NOTHING));
  }

  @Test
  void heartbeatsGoOutEveryIntervalAndRenewTheLeaseFromTheirSending() {
    stable();

    assertThat(on(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT)))
        .containsExactly(
            new SendHeartbeat(7, M1), new MemberEffect.ArmTimer(MemberTimer.HEARTBEAT, HEARTBEAT));
    assertThat(on(new MemberEvent.Told(7, Errors.NONE, 99))).containsExactly(new RenewLease(99));
  }

  @Test
  void aToldMemberRevokesThenRecordsThenJoins() {
    stable();

    List<MemberEffect> told = acts(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));
    MemberPhase between = state.phase;
    List<MemberEffect> returned = acts(new MemberEvent.ListenerReturned(false));

    assertThat(told)
        .containsExactly(
            new BeginAttempt(2, "told"), new CallListener(ListenerCall.REVOKED, SHARE));
    assertThat(between).isEqualTo(REVOKING);
    assertThat(returned)
        .containsExactly(new WriteLedger(Kind.REVOKED, SHARE, 7), sendJoin(2, M1, HELD));
  }

  @Test
  void heartbeatsGoOnWhileTheListenerRevokes() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT)))
        .containsExactly(new SendHeartbeat(7, M1));
    assertThat(acts(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 120))).isEmpty();
  }

  @Test
  void heartbeatsStopWhileAJoinIsOutAndLateAnswersMeanNothing() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));

    List<MemberEffect> returned = on(new MemberEvent.ListenerReturned(false));

    assertThat(returned)
        .contains(new CancelTimer(MemberTimer.HEARTBEAT), new CancelTimer(MemberTimer.LEASE));
    assertThat(on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 120))).isEmpty();
    assertThat(on(new MemberEvent.Told(7, Errors.UNKNOWN_MEMBER_ID, 120))).isEmpty();
  }

  @Test
  void answersOfAnEarlierGenerationOrAttemptMeanNothing() {
    stable();

    assertThat(on(new MemberEvent.Told(6, Errors.ILLEGAL_GENERATION, 1))).isEmpty();
    assertThat(on(joined(1, Errors.NONE, 9, M1, null))).isEmpty();
    assertThat(on(new MemberEvent.Synced(1, Errors.NONE, OTHER, 1, false))).isEmpty();
    assertThat(on(new MemberEvent.TopicsKnown(1, KnownTopics.withoutRacks(Map.of())))).isEmpty();
    assertThat(state.owned()).isEqualTo(SHARE);
  }

  @Test
  void aRebalanceLearntOfWhileTheListenerIsToldSupersedesTheRound() {
    syncing();
    on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, false));

    assertThat(acts(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99))).isEmpty();
    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(
            new EndAttempt(1, false, true, NOTHING, SHARE),
            new BeginAttempt(2, "told"),
            new CallListener(ListenerCall.REVOKED, SHARE));
  }

  @Test
  void anEndedGenerationIsLostAndJoinedAgainWithTheSameId() {
    stable();

    List<MemberEffect> lost = acts(new MemberEvent.Told(7, Errors.ILLEGAL_GENERATION, 99));
    List<MemberEffect> returned = acts(new MemberEvent.ListenerReturned(false));

    assertThat(lost)
        .containsExactly(
            new BeginAttempt(2, "lost"),
            new WriteLedger(Kind.LOST, SHARE, 7),
            new CallListener(ListenerCall.LOST, SHARE));
    assertThat(returned).containsExactly(sendJoin(2, M1, LOST));
  }

  @Test
  void b050ARemovedMemberAsksNothingUntilItsListenerHasLetGoAndThenWithoutItsId() {
    stable();

    on(new MemberEvent.Told(7, Errors.UNKNOWN_MEMBER_ID, 99));

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT))).isEmpty();
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY))).isEmpty();
    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(sendJoin(2, null, LOST));
  }

  @Test
  void aMemberRemovedWhileItsListenerRevokesRecordsLostAndNotRevoked() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));

    List<MemberEffect> removed = acts(new MemberEvent.Told(7, Errors.UNKNOWN_MEMBER_ID, 120));

    assertThat(removed)
        .containsExactly(
            new WriteLedger(Kind.LOST, SHARE, 7), new CallListener(ListenerCall.LOST, SHARE));
    assertThat(acts(new MemberEvent.ListenerReturned(false))).isEmpty();
    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(sendJoin(2, null, LOST));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR"})
  void aCoordinatorThatIsNoneIsSoughtAgainAndTheShareKept(Errors error) {
    stable();

    List<MemberEffect> told = acts(new MemberEvent.Told(7, error, 99));

    assertThat(told).containsExactly(new Disconnect(), retryIn(100));
    assertThat(on(new MemberEvent.TimerFired(MemberTimer.RETRY))).containsExactly(new Seek());
    assertThat(acts(new MemberEvent.Connected())).containsExactly(new SendHeartbeat(7, M1));
    assertThat(state.owned()).isEqualTo(SHARE);
    assertThat(state.phase).isEqualTo(STABLE);
  }

  @Test
  void withoutConnectionTheShareIsKeptUntilTheLeaseEnds() {
    stable();

    assertThat(acts(disconnected())).containsExactly(retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.LEASE)))
        .containsExactly(
            new WriteLedger(Kind.LOST, SHARE, 7), new CallListener(ListenerCall.LOST, SHARE));
    assertThat(acts(new MemberEvent.ListenerReturned(false))).isEmpty();
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY))).containsExactly(new Seek());
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new BeginAttempt(2, "lost"), sendJoin(2, M1, LOST));
  }

  @Test
  void aSilentCoordinatorCostsTheShareAndTheConnection() {
    stable();

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.LEASE)))
        .containsExactly(
            new WriteLedger(Kind.LOST, SHARE, 7),
            new CallListener(ListenerCall.LOST, SHARE),
            new Disconnect(),
            retryIn(100));
    assertThat(state.phase).isEqualTo(WAITING);
  }

  @Test
  void pausesDoubleUpToTenTimesTheFirst() {
    on(new MemberEvent.Started());
    List<MemberEffect> pauses = new ArrayList<>();

    for (int i = 0; i < 6; i++) {
      pauses.addAll(acts(disconnected()));
      on(new MemberEvent.TimerFired(MemberTimer.RETRY));
    }

    assertThat(pauses)
        .containsExactly(
            retryIn(100), retryIn(200), retryIn(400), retryIn(800), retryIn(1000), retryIn(1000));
  }

  @Test
  void aConnectionLostInARoundFailsItAndANewOneFollows() {
    syncing();

    assertThat(acts(disconnected()))
        .containsExactly(new EndAttempt(1, true, false, NOTHING, NOTHING), retryIn(100));
    on(new MemberEvent.TimerFired(MemberTimer.RETRY));
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new BeginAttempt(2, "retry"), sendJoin(2, M1, Claim.NONE));
  }

  @Test
  void aConnectionLostWhileRevokingFailsTheRoundOnceTheListenerIsDone() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));
    on(disconnected());

    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, SHARE, 7),
            new EndAttempt(2, true, false, SHARE, NOTHING));
    on(new MemberEvent.TimerFired(MemberTimer.RETRY));
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new BeginAttempt(3, "retry"), sendJoin(3, M1, HELD));
  }

  @Test
  void aSyncOverrunByTheNextRebalanceFailsAndTheMemberJoinsAtOnce() {
    syncing();

    assertThat(acts(new MemberEvent.Synced(1, Errors.REBALANCE_IN_PROGRESS, NOTHING, 0, false)))
        .containsExactly(
            new EndAttempt(1, true, false, NOTHING, NOTHING),
            new BeginAttempt(2, "told"),
            sendJoin(2, M1, Claim.NONE));
  }

  @Test
  void aJoinWithAForgottenIdIsRepeatedWithoutOneAfterAPause() {
    joining();

    assertThat(acts(joined(1, Errors.UNKNOWN_MEMBER_ID, -1, null, null)))
        .containsExactly(new EndAttempt(1, true, false, NOTHING, NOTHING), retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY)))
        .containsExactly(new BeginAttempt(2, "lost"), sendJoin(2, null, Claim.NONE));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {
        "INCONSISTENT_GROUP_PROTOCOL",
        "INVALID_GROUP_ID",
        "INVALID_SESSION_TIMEOUT",
        "GROUP_AUTHORIZATION_FAILED",
        "GROUP_MAX_SIZE_REACHED"
      })
  void aRefusalForGoodEndsTheMemberWithItsReason(Errors error) {
    joining();

    List<MemberEffect> effects = acts(joined(1, error, -1, M1, null));

    assertThat(effects)
        .containsExactly(
            new EndAttempt(1, true, false, NOTHING, NOTHING),
            new End(error.name() + " (" + error.code() + "): " + error.message()));
    assertThat(state.phase).isEqualTo(ENDED);
  }

  @Test
  void aRefusalForGoodWhileOwningLosesTheShare() {
    stable();

    assertThat(acts(new MemberEvent.Told(7, Errors.GROUP_AUTHORIZATION_FAILED, 99)))
        .startsWith(
            new WriteLedger(Kind.LOST, SHARE, 7), new CallListener(ListenerCall.LOST, SHARE));
    assertThat(state.phase).isEqualTo(ENDED);
  }

  @Test
  void aListenerThatFailsToStartGivesTheShareBackAndTriesAgain() {
    syncing();
    on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, false));

    assertThat(acts(new MemberEvent.ListenerReturned(true)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, SHARE, 7),
            new EndAttempt(1, true, false, NOTHING, NOTHING),
            retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY)))
        .containsExactly(new BeginAttempt(2, "retry"), sendJoin(2, M1, Claim.NONE));
  }

  @Test
  void aListenerThatFailsToRevokeFailsTheRound() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));

    assertThat(acts(new MemberEvent.ListenerReturned(true)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, SHARE, 7),
            new EndAttempt(2, true, false, SHARE, NOTHING),
            retryIn(100));
  }

  @Test
  void e62CloseRevokesRecordsAndLeaves() {
    stable();

    List<MemberEffect> closing = acts(new MemberEvent.CloseRequested());
    MemberPhase between = state.phase;
    List<MemberEffect> returned = acts(new MemberEvent.ListenerReturned(false));

    assertThat(closing).containsExactly(new CallListener(ListenerCall.REVOKED, SHARE));
    assertThat(between).isEqualTo(LEAVING);
    assertThat(returned)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, SHARE, 7), new SendLeave(M1, false, MemberState.CLOSED));
    assertThat(state.phase).isEqualTo(LEFT);
    assertThat(on(new MemberEvent.LeaveDone())).containsExactly(new End(null));
  }

  @Test
  void closeBehindAParkedJoinLeavesOnAConnectionOfItsOwn() {
    joining();

    assertThat(acts(new MemberEvent.CloseRequested()))
        .containsExactly(
            new EndAttempt(1, true, false, NOTHING, NOTHING),
            new SendLeave(M1, true, MemberState.CLOSED));
  }

  @Test
  void closeDuringTheFirstJoinWaitsForTheIdToGiveItBack() {
    on(new MemberEvent.Started());
    on(new MemberEvent.Connected());

    assertThat(on(new MemberEvent.CloseRequested())).isEmpty();
    assertThat(acts(joined(1, Errors.MEMBER_ID_REQUIRED, -1, M1, null)))
        .containsExactly(
            new EndAttempt(1, true, false, NOTHING, NOTHING),
            new SendLeave(M1, false, MemberState.CLOSED));
  }

  @Test
  void closeBeforeAnyConnectionEndsAtOnce() {
    on(new MemberEvent.Started());

    assertThat(acts(new MemberEvent.CloseRequested())).containsExactly(new End(null));
  }

  @Test
  void closeWhileTheListenerStartsRevokesAfterwards() {
    syncing();
    on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, false));

    assertThat(acts(new MemberEvent.CloseRequested()))
        .containsExactly(
            new EndAttempt(1, false, false, NOTHING, SHARE),
            new CallListener(ListenerCall.REVOKED, SHARE));
    assertThat(acts(new MemberEvent.ListenerReturned(false))).isEmpty();
    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, SHARE, 7), new SendLeave(M1, false, MemberState.CLOSED));
  }

  @Test
  void closeWithoutConnectionSeeksOneToLeaveOn() {
    stable();
    on(disconnected());
    on(new MemberEvent.CloseRequested());

    assertThat(acts(new MemberEvent.ListenerReturned(false)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, SHARE, 7), new SendLeave(M1, true, MemberState.CLOSED));
  }

  @Test
  void aCrashEndsEverythingWithoutAWordToCoordinatorOrListener() {
    stable();

    assertThat(acts(new MemberEvent.CrashRequested()))
        .containsExactly(new WriteLedger(Kind.LOST, SHARE, 7), new Disconnect(), new End(null));
    assertThat(on(new MemberEvent.CloseRequested())).isEmpty();
    assertThat(on(new MemberEvent.Connected())).isEmpty();
  }

  @Test
  void e32NothingIsOwnedFromTheJoinToTheAnswerOfTheSync() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));
    on(new MemberEvent.ListenerReturned(false));
    Assignment whileJoining = state.owned();
    on(joined(2, Errors.NONE, 8, M1, null));
    Assignment whileSyncing = state.owned();

    on(new MemberEvent.Synced(2, Errors.NONE, OTHER, 200, false));

    assertThat(whileJoining).isEqualTo(NOTHING);
    assertThat(whileSyncing).isEqualTo(NOTHING);
    assertThat(state.owned()).isEqualTo(OTHER);
    assertThat(state.phase).isEqualTo(STARTING);
  }

  @Test
  void e61AMemberThatDoesNotPollLosesItsShareAndLeavesWithTheReason() {
    stable();

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.POLL)))
        .containsExactly(
            new WriteLedger(Kind.LOST, SHARE, 7),
            new CallListener(ListenerCall.LOST, SHARE),
            new SendLeave(
                M1, false, "the application has not called keepAlive() for max.poll.interval.ms"));
    assertThat(state.phase).isEqualTo(AWAY);
    assertThat(acts(new MemberEvent.LeaveDone())).containsExactly(new Disconnect());
    assertThat(acts(new MemberEvent.ListenerReturned(false))).isEmpty();
    assertThat(acts(new MemberEvent.Polled())).containsExactly(new Seek());
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new BeginAttempt(2, "poll"), sendJoin(2, null, LOST));
  }

  @Test
  void aListenerThatDoesNotReturnCostsTheMembershipUntilItDoes() {
    stable();
    on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 99));

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.LISTENER)))
        .containsExactly(
            new WriteLedger(Kind.LOST, SHARE, 7),
            new CallListener(ListenerCall.LOST, SHARE),
            new EndAttempt(2, true, false, SHARE, NOTHING),
            new SendLeave(M1, false, "its listener has not returned for max.poll.interval.ms"));
    assertThat(acts(new MemberEvent.LeaveDone())).containsExactly(new Disconnect());
    assertThat(acts(new MemberEvent.ListenerReturned(false))).isEmpty();
    assertThat(acts(new MemberEvent.ListenerReturned(false))).containsExactly(new Seek());
  }

  @Test
  void aMemberThatIsTooSlowBehindAParkedJoinLeavesOnAConnectionOfItsOwn() {
    joining();

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.POLL)))
        .containsExactly(
            new EndAttempt(1, true, false, NOTHING, NOTHING),
            new SendLeave(
                M1, true, "the application has not called keepAlive() for max.poll.interval.ms"));
    assertThat(acts(new MemberEvent.Polled())).as("the goodbye comes first").isEmpty();
    assertThat(acts(new MemberEvent.LeaveDone())).containsExactly(new Disconnect(), new Seek());
  }

  @Test
  void aMemberThatIsAwayIsClosedOnceItsGoodbyeIsSaid() {
    stable();
    on(new MemberEvent.TimerFired(MemberTimer.POLL));

    assertThat(acts(new MemberEvent.CloseRequested())).isEmpty();
    assertThat(acts(new MemberEvent.LeaveDone())).containsExactly(new End(null));
  }

  @Test
  void closeWaitsForAListenerNoLongerThanItMayTake() {
    stable();
    on(new MemberEvent.CloseRequested());

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.LISTENER)))
        .containsExactly(
            new WriteLedger(Kind.LOST, SHARE, 7), new SendLeave(M1, false, MemberState.CLOSED));
    assertThat(acts(new MemberEvent.ListenerReturned(false))).isEmpty();
    assertThat(acts(new MemberEvent.LeaveDone())).containsExactly(new End(null));
  }

  private List<MemberEffect> on(MemberEvent event) {
    return state.on(event);
  }

  /** The effects without the arming, renewing and cancelling of the heartbeat and the lease. */
  private List<MemberEffect> acts(MemberEvent event) {
    return on(event).stream()
        .filter(effect -> !(effect instanceof CancelTimer))
        .filter(effect -> !(effect instanceof RenewLease))
        .filter(
            effect ->
                !(effect instanceof MemberEffect.ArmTimer armed
                    && armed.timer() == MemberTimer.HEARTBEAT))
        .toList();
  }

  private void joining() {
    on(new MemberEvent.Started());
    on(new MemberEvent.Connected());
    on(joined(1, Errors.MEMBER_ID_REQUIRED, -1, M1, null));
  }

  private void syncing() {
    joining();
    on(joined(1, Errors.NONE, 7, M1, null));
  }

  /** Owns {@link #SHARE} in generation 7. */
  private void stable() {
    syncing();
    on(new MemberEvent.Synced(1, Errors.NONE, SHARE, 55, false));
    on(new MemberEvent.ListenerReturned(false));
  }

  private static MemberEvent joined(
      int attempt,
      Errors error,
      int generation,
      MemberId member,
      Map<MemberId, Subscription> members) {
    GroupPlan plan = members == null ? null : new ThreadStrategy.Plan(new RangeAssignor(), members);
    return new MemberEvent.Joined(attempt, error, generation, member, plan);
  }

  private static MemberEvent disconnected() {
    return new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone");
  }

  private static MemberEffect retryIn(long millis) {
    return new MemberEffect.ArmTimer(MemberTimer.RETRY, Duration.ofMillis(millis));
  }
}
