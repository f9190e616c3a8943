package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.LISTING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.WAITING;
import static io.rebalancer.coordinator.client.SimulatedGroup.rules;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.ArmTimer;
import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.Disconnect;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.ListTopics;
import io.rebalancer.coordinator.client.MemberEffect.Seek;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeat;
import io.rebalancer.coordinator.client.MemberEffect.SendJoin;
import io.rebalancer.coordinator.client.MemberEffect.SendLeave;
import io.rebalancer.coordinator.client.MemberEffect.SendSync;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.WildcardSubscription;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member that wants whatever topics match its pattern, {@code t.*}. */
class PatternMemberTest {

  private static final MemberId M = new MemberId("m-uuid");
  private static final Assignment NOTHING = Assignment.empty();
  private static final Assignment T1 = Assignment.of("t1", PartitionSet.range(0, 2));
  private static final Assignment T2 = Assignment.of("t2", PartitionSet.range(0, 3));
  private static final MemberEffect AGAIN_LATER =
      new ArmTimer(MemberTimer.METADATA, Duration.ofMinutes(5));

  private MemberState state = member(false);

  private static MemberState member(boolean cooperative) {
    return new MemberState(
        rules(
            cooperative,
            cooperative,
            false,
            new WildcardSubscription(TopicFilter.whiteList("t.*"), 2)));
  }

  private static Subscription topics(String... names) {
    Map<String, Integer> streams = new TreeMap<>();
    for (String name : names) {
      streams.put(name, 2);
    }
    return Subscription.copyOf(streams);
  }

  /** Owns {@code share} of those topics, in generation 7. */
  private void stable(boolean cooperative, Assignment share, String... topics) {
    state = member(cooperative);
    acts(new MemberEvent.Started());
    acts(new MemberEvent.Connected());
    acts(listed(1, topics));
    acts(joined(7));
    acts(new MemberEvent.Synced(1, Errors.NONE, share, 55, false));
    acts(returned());
    assertThat(state.phase).isEqualTo(STABLE);
  }

  @Test
  void itAsksWhichTopicsThereAreAndJoinsForThoseThatMatch() {
    acts(new MemberEvent.Started());

    List<MemberEffect> asked = acts(new MemberEvent.Connected());
    List<MemberEffect> told = acts(listed(1, "u", "t2", "t1"));
    List<MemberEffect> named =
        acts(new MemberEvent.Joined(1, Errors.MEMBER_ID_REQUIRED, -1, M, null));

    assertThat(asked).containsExactly(new BeginAttempt(1, "join"), new ListTopics(1));
    assertThat(told)
        .containsExactly(AGAIN_LATER, new SendJoin(1, null, topics("t1", "t2"), Claim.NONE));
    assertThat(named).containsExactly(new SendJoin(1, M, topics("t1", "t2"), Claim.NONE));
  }

  @Test
  void ifNothingMatchesItIsAMemberWithoutTopics() {
    acts(new MemberEvent.Started());
    acts(new MemberEvent.Connected());

    assertThat(acts(listed(1, "u")))
        .containsExactly(AGAIN_LATER, new SendJoin(1, null, topics(), Claim.NONE));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void topicsThatDoNotMatchAreNoRound(boolean cooperative) {
    stable(cooperative, T1, "t1");

    List<MemberEffect> asked = acts(new MemberEvent.TimerFired(MemberTimer.METADATA));

    assertThat(asked).containsExactly(new ListTopics(1));
    assertThat(acts(listed(1, "t1", "u"))).containsExactly(AGAIN_LATER);
  }

  @Test
  void anotherTopicThatMatchesIsOneRound() {
    stable(false, T1, "t1");
    acts(new MemberEvent.TimerFired(MemberTimer.METADATA));

    List<MemberEffect> found = acts(listed(1, "t1", "t2"));
    List<MemberEffect> asked = acts(listed(2, "t1", "t2"));
    List<MemberEffect> returned = acts(returned());
    acts(joined(8));
    acts(new MemberEvent.Synced(2, Errors.NONE, T1.plus(T2), 99, false));
    List<MemberEffect> started = acts(returned());
    acts(new MemberEvent.TimerFired(MemberTimer.METADATA));
    List<MemberEffect> later = acts(listed(2, "t1", "t2"));

    assertThat(found)
        .containsExactly(AGAIN_LATER, new BeginAttempt(2, "topics"), new ListTopics(2));
    assertThat(asked).containsExactly(AGAIN_LATER, new CallListener(ListenerCall.REVOKED, T1));
    assertThat(returned)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, T1, 7),
            new SendJoin(2, M, topics("t1", "t2"), Claim.of(T1, 7)));
    assertThat(started).containsExactly(new EndAttempt(2, false, false, T1, T1.plus(T2)));
    assertThat(later).containsExactly(AGAIN_LATER);
  }

  @Test
  void aCooperativeMemberGivesUpWhatMatchesNoMoreBeforeItJoinsAndIsDoneInOneRound() {
    stable(true, T1.plus(T2), "t1", "t2");
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> asked = acts(listed(2, "t1"));
    Assignment meanwhile = state.owned();
    List<MemberEffect> returned = acts(returned());
    acts(joined(8));
    acts(new MemberEvent.Synced(2, Errors.NONE, T1, 99, false));
    List<MemberEffect> started = acts(returned());

    assertThat(asked).containsExactly(AGAIN_LATER, new CallListener(ListenerCall.REVOKED, T2));
    assertThat(meanwhile).isEqualTo(T1.plus(T2));
    assertThat(returned)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, T2, 7),
            new SendJoin(2, M, topics("t1"), Claim.of(T1, 7)));
    assertThat(started).containsExactly(new EndAttempt(2, false, false, T1.plus(T2), T1));
  }

  @Test
  void aCooperativeMemberWhoseListenerFailsToGiveThatUpKeepsTheRest() {
    stable(true, T1.plus(T2), "t1", "t2");
    acts(told(Errors.REBALANCE_IN_PROGRESS));
    acts(listed(2, "t1"));

    List<MemberEffect> failed = acts(new MemberEvent.ListenerReturned(true));

    assertThat(failed)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, T2, 7),
            new EndAttempt(2, true, false, T1.plus(T2), T1),
            new ArmTimer(MemberTimer.RETRY, Duration.ofMillis(100)));
    assertThat(state.owned()).isEqualTo(T1);
  }

  @Test
  void whoeverIsToldOfARoundAsksAgainSoThatOneRoundIsEnoughForAll() {
    stable(true, T1, "t1");

    List<MemberEffect> told = acts(told(Errors.REBALANCE_IN_PROGRESS));

    assertThat(told).containsExactly(new BeginAttempt(2, "told"), new ListTopics(2));
    assertThat(acts(listed(2, "t1", "t2")))
        .containsExactly(AGAIN_LATER, new SendJoin(2, M, topics("t1", "t2"), Claim.of(T1, 7)));
  }

  @Test
  void heartbeatsGoOnAndErrorsCountWhileItAsks() {
    stable(false, T1, "t1");
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.HEARTBEAT)))
        .containsExactly(new SendHeartbeat(7, M));
    assertThat(acts(told(Errors.REBALANCE_IN_PROGRESS))).isEmpty();
    assertThat(acts(told(Errors.UNKNOWN_MEMBER_ID)))
        .containsExactly(
            new WriteLedger(Kind.LOST, T1, 7), new CallListener(ListenerCall.LOST, T1));
    assertThat(acts(listed(2, "t1"))).containsExactly(AGAIN_LATER);
    assertThat(acts(returned()))
        .containsExactly(new SendJoin(2, null, topics("t1"), Claim.of(T1, 7).lost()));
  }

  @Test
  void aMembershipThatEndedBeginsAnewByAsking() {
    stable(true, T1, "t1");

    List<MemberEffect> ended = acts(told(Errors.ILLEGAL_GENERATION));

    assertThat(ended)
        .containsExactly(
            new BeginAttempt(2, "lost"),
            new WriteLedger(Kind.LOST, T1, 7),
            new CallListener(ListenerCall.LOST, T1),
            new ListTopics(2));
    assertThat(acts(returned())).isEmpty();
    assertThat(acts(listed(2, "t1")))
        .containsExactly(AGAIN_LATER, new SendJoin(2, M, topics("t1"), Claim.NONE));
  }

  @Test
  void aConnectionThatIsLostWhileItAsksCostsNothingButTime() {
    stable(false, T1, "t1");
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    acts(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone"));
    Assignment meanwhile = state.owned();
    List<MemberEffect> retried = acts(new MemberEvent.TimerFired(MemberTimer.RETRY));
    List<MemberEffect> connected = acts(new MemberEvent.Connected());

    assertThat(meanwhile).isEqualTo(T1);
    assertThat(retried).containsExactly(new Seek());
    assertThat(connected).containsExactly(new SendHeartbeat(7, M), new ListTopics(2));
    assertThat(state.phase).isEqualTo(LISTING);
  }

  @Test
  void theLeaseEndsWhileItAsksAsItDoesElsewhere() {
    stable(true, T1, "t1");
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> ended = acts(new MemberEvent.TimerFired(MemberTimer.LEASE));

    assertThat(ended)
        .containsExactly(
            new WriteLedger(Kind.LOST, T1, 7),
            new CallListener(ListenerCall.LOST, T1),
            new EndAttempt(2, true, false, T1, NOTHING),
            new Disconnect(),
            new ArmTimer(MemberTimer.RETRY, Duration.ofMillis(100)));
    assertThat(state.phase).isEqualTo(WAITING);
  }

  @Test
  void whatIsDueWhileARoundIsOnIsAskedForAfterIt() {
    stable(true, T1, "t1");
    acts(told(Errors.REBALANCE_IN_PROGRESS));
    acts(listed(2, "t1"));
    assertThat(state.phase).isEqualTo(JOINING);

    List<MemberEffect> due = acts(new MemberEvent.TimerFired(MemberTimer.METADATA));
    List<MemberEffect> joined = acts(joined(8));
    acts(new MemberEvent.Synced(2, Errors.NONE, T1, 99, false));
    List<MemberEffect> started = acts(returned());

    assertThat(due).isEmpty();
    assertThat(joined).containsExactly(new SendSync(2, 8, M, Map.of()));
    assertThat(started).containsExactly(new EndAttempt(2, false, false, T1, T1), new ListTopics(2));
  }

  @Test
  void whatWasDueWithoutAConnectionIsAskedForWithTheNext() {
    stable(true, T1, "t1");
    acts(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, "gone"));

    assertThat(acts(new MemberEvent.TimerFired(MemberTimer.METADATA))).isEmpty();
    assertThat(acts(new MemberEvent.Connected()))
        .containsExactly(new SendHeartbeat(7, M), new ListTopics(1));
  }

  @Test
  void anAnswerFromBeforeTheRoundMeansNothing() {
    stable(false, T1, "t1");
    acts(new MemberEvent.TimerFired(MemberTimer.METADATA));
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    assertThat(acts(listed(1, "t1", "t2"))).isEmpty();
    assertThat(state.phase).isEqualTo(LISTING);
  }

  @Test
  void itIsClosedWhileItAsks() {
    stable(false, T1, "t1");
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    List<MemberEffect> closing = acts(new MemberEvent.CloseRequested());

    assertThat(closing)
        .containsExactly(
            new EndAttempt(2, true, false, T1, T1), new CallListener(ListenerCall.REVOKED, T1));
    assertThat(acts(listed(2, "t1"))).isEmpty();
    assertThat(acts(returned()))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, T1, 7), new SendLeave(M, false, MemberState.CLOSED));
  }

  @Test
  void itLeavesIfTheApplicationIsTooSlowWhileItAsks() {
    stable(false, T1, "t1");
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    acts(new MemberEvent.TimerFired(MemberTimer.POLL));

    assertThat(state.phase).isEqualTo(MemberPhase.AWAY);
    assertThat(acts(listed(2, "t1"))).isEmpty();
  }

  private static MemberEvent listed(int attempt, String... names) {
    return new MemberEvent.TopicsListed(attempt, Set.of(names));
  }

  private MemberEvent joined(int generation) {
    return new MemberEvent.Joined(state.attempt, Errors.NONE, generation, M, null);
  }

  private static MemberEvent told(Errors error) {
    return new MemberEvent.Told(7, error, 99);
  }

  private static MemberEvent returned() {
    return new MemberEvent.ListenerReturned(false);
  }

  private List<MemberEffect> acts(MemberEvent event) {
    return MemberSteps.acts(state, event);
  }
}
