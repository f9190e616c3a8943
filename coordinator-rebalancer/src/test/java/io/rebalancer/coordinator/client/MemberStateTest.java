package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.REVOKING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.STARTING;
import static io.rebalancer.coordinator.client.MemberPhase.SYNCING;
import static io.rebalancer.coordinator.client.SimulatedGroup.sendJoin;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.AskTopics;
import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.CancelTimer;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.RenewLease;
import io.rebalancer.coordinator.client.MemberEffect.Seek;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeat;
import io.rebalancer.coordinator.client.MemberEffect.SendSync;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** The rounds of an eager member. */
class MemberStateTest extends MemberSteps {

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
}
