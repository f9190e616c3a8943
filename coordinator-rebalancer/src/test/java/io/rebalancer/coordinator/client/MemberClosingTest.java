package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.AWAY;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.LEFT;
import static io.rebalancer.coordinator.client.SimulatedGroup.sendJoin;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.Disconnect;
import io.rebalancer.coordinator.client.MemberEffect.End;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.Seek;
import io.rebalancer.coordinator.client.MemberEffect.SendLeave;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** An eager member that is closed, crashes, or is too slow. */
class MemberClosingTest extends MemberSteps {

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
}
