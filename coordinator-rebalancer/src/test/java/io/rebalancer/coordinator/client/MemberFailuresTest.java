package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.ENDED;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.WAITING;
import static io.rebalancer.coordinator.client.SimulatedGroup.sendJoin;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.Disconnect;
import io.rebalancer.coordinator.client.MemberEffect.End;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.Seek;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeat;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an eager member makes of lost connections, refusals and listeners that fail. */
class MemberFailuresTest extends MemberSteps {

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
}
