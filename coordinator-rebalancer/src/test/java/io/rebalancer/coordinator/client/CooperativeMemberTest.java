package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.STARTING;
import static io.rebalancer.coordinator.client.SimulatedGroup.rules;
import static io.rebalancer.coordinator.client.SimulatedGroup.sendJoin;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.Disconnect;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.RenewLease;
import io.rebalancer.coordinator.client.MemberEffect.Seek;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeat;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeatBeside;
import io.rebalancer.coordinator.client.MemberEffect.SendJoin;
import io.rebalancer.coordinator.client.MemberEffect.SendLeave;
import io.rebalancer.coordinator.client.MemberEffect.SendSync;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A member that goes on with what it keeps while it joins. */
class CooperativeMemberTest {

  private static final MemberId M = new MemberId("m-uuid");
  private static final Assignment NOTHING = Assignment.empty();
  private static final Assignment FOUR = share(0, 4);
  private static final Assignment TWO = share(0, 2);
  private static final Assignment MOVED = share(2, 2);
  private static final Assignment OTHERS = share(4, 2);

  private final MemberState state = new MemberState(rules(true, false));

  private static Assignment share(int first, int count) {
    return Assignment.of("t", PartitionSet.range(first, count));
  }

  /** Owns {@link #FOUR} in generation 7. */
  @BeforeEach
  void stable() {
    acts(new MemberEvent.Started());
    acts(new MemberEvent.Connected());
    given(7, FOUR);
    acts(returned());
    assertThat(state.phase).isEqualTo(STABLE);
  }

  @Test
  void aToldMemberJoinsAtOnceAndGoesOnWithWhatItClaims() {
    List<MemberEffect> told = acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    Assignment whileJoining = state.owned();
    List<MemberEffect> joined = acts(joined(8));
    Assignment whileSyncing = state.owned();

    assertThat(told)
        .containsExactly(new BeginAttempt(2, "told"), sendJoin(2, M, Claim.of(FOUR, 7)));
    assertThat(joined).containsExactly(new SendSync(2, 8, M, Map.of()));
    assertThat(whileJoining).isEqualTo(FOUR);
    assertThat(whileSyncing).isEqualTo(FOUR);
  }

  @Test
  void onlyWhatMovesIsRevokedOnlyWhatIsNewIsAssignedAndTheMemberJoinsAgainWithoutIt() {
    rebalanced(8, TWO.plus(OTHERS));
    Assignment whileShedding = state.owned();
    List<MemberEffect> shed = acts(returned());
    List<MemberEffect> started = acts(returned());

    assertThat(whileShedding).isEqualTo(FOUR);
    assertThat(shed)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, MOVED, 7),
            new WriteLedger(Kind.ASSIGNED, OTHERS, 8),
            new CallListener(ListenerCall.ASSIGNED, OTHERS));
    assertThat(started)
        .containsExactly(
            new EndAttempt(2, false, true, FOUR, TWO.plus(OTHERS)),
            new BeginAttempt(3, "withheld"),
            sendJoin(3, M, Claim.of(TWO.plus(OTHERS), 8)));
  }

  @Test
  void theListenerGivesUpWhatMovesBeforeAnythingElseHappens() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    acts(joined(8));

    assertThat(acts(new MemberEvent.Synced(2, Errors.NONE, TWO, 55, false)))
        .containsExactly(new CallListener(ListenerCall.REVOKED, MOVED));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT)))
        .containsExactly(new SendHeartbeat(8, M));
  }

  @Test
  void aMemberThatKeepsAllItClaimsIsAssignedTheRestAndDoesNotJoinAgain() {
    rebalanced(8, FOUR.plus(OTHERS));

    assertThat(acts(returned()))
        .containsExactly(new EndAttempt(2, false, false, FOUR, FOUR.plus(OTHERS)));
    assertThat(state.phase).isEqualTo(STABLE);
  }

  @Test
  void aSyncOverrunByTheNextRebalanceIsClaimedInTheGenerationThatWasJoined() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    acts(joined(8));

    assertThat(acts(new MemberEvent.Synced(2, Errors.REBALANCE_IN_PROGRESS, NOTHING, 0, false)))
        .containsExactly(
            new EndAttempt(2, true, false, FOUR, FOUR),
            new BeginAttempt(3, "told"),
            sendJoin(3, M, Claim.of(FOUR, 8)));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"})
  void aMembershipThatEndsWhileItJoinsIsLostWholeAndClaimsNothing(Errors error) {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> refused = acts(new MemberEvent.Joined(2, error, -1, null, null));
    List<MemberEffect> retried = acts(new MemberEvent.TimerFired(MemberTimer.RETRY));
    List<MemberEffect> returned = acts(returned());

    assertThat(refused)
        .containsExactly(
            new EndAttempt(2, true, false, FOUR, FOUR),
            new WriteLedger(Kind.LOST, FOUR, 7),
            new CallListener(ListenerCall.LOST, FOUR),
            retryIn(100));
    assertThat(retried).isEmpty();
    assertThat(returned)
        .containsExactly(
            new BeginAttempt(3, "lost"),
            sendJoin(3, error == Errors.UNKNOWN_MEMBER_ID ? null : M, state.holdings.claim));
    assertThat(state.holdings.claim.owned()).isEqualTo(NOTHING);
  }

  @Test
  void aShareIsKeptOverALostConnectionWhileItJoins() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));

    assertThat(acts(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone")))
        .containsExactly(new EndAttempt(2, true, false, FOUR, FOUR), retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY))).containsExactly(new Seek());
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new BeginAttempt(3, "retry"), sendJoin(3, M, Claim.of(FOUR, 7)));
  }

  @Test
  void aMemberWhoseJoinWaitsAsksBesideItWhetherItStillCountsAsAlive() {
    List<MemberEffect> told = state.on(told(7, Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> due = state.on(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT));

    MemberEffect again = new MemberEffect.ArmTimer(MemberTimer.HEARTBEAT, Duration.ofSeconds(13));
    assertThat(told).endsWith(sendJoin(2, M, Claim.of(FOUR, 7)), again);
    assertThat(due).containsExactly(new SendHeartbeatBeside(7, M), again);
    assertThat(state.on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 500)))
        .containsExactly(new RenewLease(500));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "NOT_COORDINATOR", "FENCED_INSTANCE_ID"})
  void whatElseIsSaidBesideAJoinItsAnswerWillSay(Errors error) {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));

    assertThat(state.on(new MemberEvent.Told(7, error, 500))).isEmpty();
    assertThat(state.owned()).isEqualTo(FOUR);
  }

  @Test
  void aSyncThatWaitsForTheGroupLeaderIsAskedBesideOfInItsGeneration() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    acts(joined(8));

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT)))
        .containsExactly(new SendHeartbeatBeside(8, M));
    assertThat(state.on(new MemberEvent.Told(7, Errors.NONE, 500))).isEmpty();
    assertThat(state.on(new MemberEvent.Told(8, Errors.NONE, 500)))
        .containsExactly(new RenewLease(500));
  }

  @Test
  void whoOwnsNothingAnyMoreAsksNothing() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    acts(new MemberEvent.TimerFired(MemberTimer.LEASE));

    assertThat(state.on(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT))).isEmpty();
    assertThat(state.on(new MemberEvent.Told(7, Errors.REBALANCE_IN_PROGRESS, 500))).isEmpty();
  }

  @Test
  void aLeaseThatEndsWhileAJoinIsOutLosesTheShareAndTheRoundBringsAllOfItAnew() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> ended = acts(new MemberEvent.TimerFired(MemberTimer.LEASE));
    MemberPhase phase = state.phase;
    acts(returned());
    acts(joined(8));
    List<MemberEffect> synced = acts(new MemberEvent.Synced(2, Errors.NONE, TWO, 55, false));

    assertThat(ended)
        .containsExactly(
            new WriteLedger(Kind.LOST, FOUR, 7), new CallListener(ListenerCall.LOST, FOUR));
    assertThat(phase).isEqualTo(JOINING);
    assertThat(synced)
        .containsExactly(
            new WriteLedger(Kind.ASSIGNED, TWO, 8), new CallListener(ListenerCall.ASSIGNED, TWO));
    assertThat(acts(returned()))
        .as("others wait until it has joined without what it claimed")
        .containsExactly(
            new EndAttempt(2, false, true, FOUR, TWO),
            new BeginAttempt(3, "withheld"),
            sendJoin(3, M, Claim.of(TWO, 8)));
  }

  @Test
  void aListenerThatFailsToStartGivesBackOnlyWhatIsNew() {
    rebalanced(8, FOUR.plus(OTHERS));

    assertThat(acts(new MemberEvent.ListenerReturned(true)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, OTHERS, 8),
            new EndAttempt(2, true, false, FOUR, FOUR),
            retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY)))
        .containsExactly(new BeginAttempt(3, "retry"), sendJoin(3, M, Claim.of(FOUR, 8)));
  }

  @Test
  void aListenerThatFailsToRevokeHoldsUpNobodysSecondRound() {
    rebalanced(8, TWO);

    assertThat(acts(new MemberEvent.ListenerReturned(true)))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, MOVED, 7),
            new EndAttempt(2, true, false, FOUR, TWO),
            retryIn(100));
    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.RETRY)))
        .containsExactly(new BeginAttempt(3, "retry"), sendJoin(3, M, Claim.of(TWO, 8)));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"})
  void aMembershipThatEndsWhileTheListenerRevokesStartsNothing(Errors error) {
    rebalanced(8, TWO.plus(OTHERS));

    List<MemberEffect> ended = acts(told(8, error));
    acts(returned());
    List<MemberEffect> returned = acts(returned());

    assertThat(ended)
        .containsExactly(
            new EndAttempt(2, true, false, FOUR, FOUR),
            new BeginAttempt(3, "lost"),
            new WriteLedger(Kind.LOST, FOUR, 7),
            new CallListener(ListenerCall.LOST, FOUR));
    assertThat(returned).singleElement().isInstanceOf(SendJoin.class);
    assertThat(state.holdings.claim.owned()).isEqualTo(NOTHING);
  }

  @Test
  void aRebalanceLearntOfWhileTheListenerRevokesIsJoinedWhenItHasStarted() {
    rebalanced(8, TWO);

    assertThat(acts(told(8, Errors.REBALANCE_IN_PROGRESS))).isEmpty();
    acts(returned());
    assertThat(state.phase).isEqualTo(STARTING);
    assertThat(acts(returned()))
        .containsExactly(
            new EndAttempt(2, false, true, FOUR, TWO),
            new BeginAttempt(3, "told"),
            sendJoin(3, M, Claim.of(TWO, 8)));
  }

  @Test
  void closeBehindAParkedJoinRevokesOnAConnectionOnWhichTheListenerCanCommit() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> closing = acts(new MemberEvent.CloseRequested());
    MemberPhase between = state.phase;
    List<MemberEffect> connected = acts(new MemberEvent.Connected());

    assertThat(closing)
        .containsExactly(new EndAttempt(2, true, false, FOUR, FOUR), new Disconnect(), new Seek());
    assertThat(between).isEqualTo(LEAVING);
    assertThat(connected)
        .containsExactly(new SendHeartbeat(7, M), new CallListener(ListenerCall.REVOKED, FOUR));
    assertThat(acts(returned()))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, FOUR, 7), new SendLeave(M, false, MemberState.CLOSED));
  }

  @Test
  void closeBehindAParkedJoinRevokesAlsoWhenThereIsNoConnection() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    acts(new MemberEvent.CloseRequested());

    assertThat(acts(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone")))
        .containsExactly(new CallListener(ListenerCall.REVOKED, FOUR));
    assertThat(acts(returned()))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, FOUR, 7), new SendLeave(M, true, MemberState.CLOSED));
  }

  @Test
  void closeComesBeforeTheSecondRoundAndRevokesEverythingOnce() {
    rebalanced(8, TWO.plus(OTHERS));

    List<MemberEffect> closing = acts(new MemberEvent.CloseRequested());
    acts(returned());

    assertThat(closing)
        .containsExactly(
            new EndAttempt(2, true, false, FOUR, FOUR),
            new CallListener(ListenerCall.REVOKED, TWO));
    assertThat(acts(returned()))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, FOUR, 7), new SendLeave(M, false, MemberState.CLOSED));
  }

  @Test
  void closeWhileWaitingRevokesWhatIsStillOwned() {
    acts(told(7, Errors.REBALANCE_IN_PROGRESS));
    acts(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone"));

    assertThat(acts(new MemberEvent.CloseRequested()))
        .containsExactly(new CallListener(ListenerCall.REVOKED, FOUR));
  }

  @Test
  void aMemberThatNeverHadAnythingSaysTheSameAgain() {
    MemberState fresh = new MemberState(rules(true, false));
    fresh.on(new MemberEvent.Started());
    fresh.on(new MemberEvent.Connected());
    fresh.on(joined(7));
    fresh.on(new MemberEvent.Synced(1, Errors.NONE, FOUR, 55, false));
    fresh.on(new MemberEvent.ListenerReturned(true));

    assertThat(fresh.on(new MemberEvent.TimerFired(MemberTimer.RETRY)))
        .contains(sendJoin(2, M, Claim.NONE));
  }

  private void rebalanced(int generation, Assignment share) {
    acts(told(state.generation, Errors.REBALANCE_IN_PROGRESS));
    given(generation, share);
  }

  private void given(int generation, Assignment share) {
    acts(joined(generation));
    acts(new MemberEvent.Synced(state.attempt, Errors.NONE, share, 55, false));
  }

  private MemberEvent joined(int generation) {
    return new MemberEvent.Joined(Math.max(1, state.attempt), Errors.NONE, generation, M, null);
  }

  private static MemberEvent told(int generation, Errors error) {
    return new MemberEvent.Told(generation, error, 99);
  }

  private static MemberEvent returned() {
    return new MemberEvent.ListenerReturned(false);
  }

  private static MemberEffect retryIn(long millis) {
    return new MemberEffect.ArmTimer(MemberTimer.RETRY, Duration.ofMillis(millis));
  }

  private List<MemberEffect> acts(MemberEvent event) {
    return MemberSteps.acts(state, event);
  }
}
