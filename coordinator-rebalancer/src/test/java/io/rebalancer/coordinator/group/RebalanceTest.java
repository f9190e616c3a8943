package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.MEMBER_ID_REQUIRED;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.NOT_COORDINATOR;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static io.rebalancer.coordinator.group.GroupPhase.COMPLETING_REBALANCE;
import static io.rebalancer.coordinator.group.GroupPhase.EMPTY;
import static io.rebalancer.coordinator.group.GroupPhase.PREPARING_REBALANCE;
import static io.rebalancer.coordinator.group.GroupPhase.STABLE;
import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.B;
import static io.rebalancer.coordinator.group.Groups.C;
import static io.rebalancer.coordinator.group.Groups.REBALANCE_MS;
import static io.rebalancer.coordinator.group.Groups.SESSION_MS;
import static io.rebalancer.coordinator.group.Groups.arm;
import static io.rebalancer.coordinator.group.Groups.bytes;
import static io.rebalancer.coordinator.group.Groups.cancel;
import static io.rebalancer.coordinator.group.Groups.heartbeat;
import static io.rebalancer.coordinator.group.Groups.leaderSync;
import static io.rebalancer.coordinator.group.Groups.leave;
import static io.rebalancer.coordinator.group.Groups.moved;
import static io.rebalancer.coordinator.group.Groups.range;
import static io.rebalancer.coordinator.group.Groups.reply;
import static io.rebalancer.coordinator.group.Groups.request;
import static io.rebalancer.coordinator.group.Groups.session;
import static io.rebalancer.coordinator.group.Groups.sync;
import static io.rebalancer.coordinator.group.Groups.timer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.coordinator.group.TimerId.Kind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RebalanceTest {

  private final Groups groups = new Groups();

  @Test
  void aFirstJoinIsToldItsIdAndCountsOnlyWhenItComesBackWithIt() {
    Step first = groups.step(Groups.unknown(), groups.join(1, "", A, true, range("t")));

    assertThat(first.effects())
        .containsExactly(
            arm(Kind.PENDING, A, SESSION_MS),
            reply(1, Answer.Joined.failed(MEMBER_ID_REQUIRED, "a")));
    assertThat(first.state().phase()).isEqualTo(EMPTY);
    assertThat(first.state().waiting().pending()).containsExactly(A);

    Step second = groups.step(first.state(), groups.rejoin(2, A));

    assertThat(second.effects())
        .containsExactly(
            cancel(Kind.PENDING, A),
            arm(Kind.NEW_MEMBER, A, 300_000),
            cancel(Kind.SYNC),
            moved(0, EMPTY, PREPARING_REBALANCE, Reason.MEMBER_JOIN),
            arm(Kind.INITIAL_DELAY, 3_000));
    assertThat(second.state().hard().leader()).isEqualTo("a");
    assertThat(second.state().waiting())
        .isEqualTo(
            new Waiting(Set.of(), Map.of(A, request(2)), Map.of(), Set.of(), Set.of(A), Map.of()));
  }

  @Test
  void aPendingIdThatNobodyComesBackWithIsForgottenAndHoldsNobodyUpAnyMore() {
    GroupState waiting =
        groups.after(
            groups.preparing(),
            groups.rejoin(1, A),
            groups.join(2, "", C, true, range("t")),
            groups.rejoin(3, B));
    assertThat(waiting.phase()).isEqualTo(PREPARING_REBALANCE);

    Step step = groups.step(waiting, timer(Kind.PENDING, C));

    assertThat(step.state().phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(step.state().hard().members().keySet()).containsExactly(A, B);
  }

  @Test
  void theInitialDelayIsExtendedWhileMembersComeAndBudgetRemains() {
    GroupState gathering = groups.after(Groups.unknown(), groups.joinOld(1, A));
    GroupState two = groups.after(gathering, groups.joinOld(2, B));

    assertThat(groups.step(gathering, timer(Kind.INITIAL_DELAY)).state().phase())
        .isEqualTo(COMPLETING_REBALANCE);
    Step extended = groups.step(two, timer(Kind.INITIAL_DELAY));
    assertThat(extended.effects()).containsExactly(arm(Kind.INITIAL_DELAY, 3_000));
    assertThat(extended.state().round().remainingMs()).isEqualTo(REBALANCE_MS - 6_000);
    assertThat(groups.step(extended.state(), timer(Kind.INITIAL_DELAY)).state().generation())
        .isEqualTo(1);
  }

  @Test
  void e30OnlyTheGroupLeaderIsToldOfTheOthers() {
    GroupState preparing = groups.after(groups.preparing(), groups.rejoin(1, A));

    Step step = groups.step(preparing, groups.rejoin(2, B));

    assertThat(step.effects())
        .containsExactly(
            cancel(Kind.INITIAL_DELAY),
            cancel(Kind.REBALANCE),
            moved(2, PREPARING_REBALANCE, COMPLETING_REBALANCE, Reason.ALL_JOINED),
            reply(
                1,
                new Answer.Joined(
                    NONE,
                    2,
                    "consumer",
                    "range",
                    "a",
                    "a",
                    false,
                    List.of(
                        new Answer.JoinedMember(A, "", bytes("t")),
                        new Answer.JoinedMember(B, "", bytes("t"))))),
            session(A),
            reply(2, new Answer.Joined(NONE, 2, "consumer", "range", "a", "b", false, List.of())),
            session(B),
            arm(Kind.SYNC, REBALANCE_MS));
    assertThat(step.state().waiting())
        .isEqualTo(new Waiting(Set.of(), Map.of(), Map.of(), Set.of(A, B), Set.of(), Map.of()));
  }

  @Test
  void nobodyIsToldOfAnAssignmentBeforeItIsStored() {
    GroupState parked = groups.after(groups.completing(), sync(1, B, 2));

    Step asked = groups.step(parked, leaderSync(2, A, 2));

    long write = asked.state().round().write();
    HardState awaited = asked.state().round().awaited();
    assertThat(asked.effects())
        .containsExactly(cancel(Kind.SYNC), new GroupEffect.Persist(write, awaited));
    assertThat(asked.state().phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(awaited.members().get(A).assignment()).isEqualTo(bytes("part of a"));

    Step stored = groups.step(asked.state(), new GroupEvent.Persisted(write));

    assertThat(stored.effects())
        .containsExactly(
            moved(2, COMPLETING_REBALANCE, STABLE, Reason.ASSIGNMENT_STORED),
            new GroupEffect.Granted(awaited),
            reply(2, new Answer.Synced(NONE, "consumer", "range", bytes("part of a"))),
            session(A),
            reply(1, new Answer.Synced(NONE, "consumer", "range", bytes("part of b"))),
            session(B));
    assertThat(stored.state().hard()).isEqualTo(awaited);
    assertThat(stored.state().parked()).isZero();
  }

  @Test
  void anAssignmentThatCannotBeStoredStartsTheRoundAgain() {
    GroupState storing = groups.after(groups.completing(), sync(1, B, 2), leaderSync(2, A, 2));
    long write = storing.round().write();

    Step failed = groups.step(storing, new GroupEvent.PersistFailed(write, REBALANCE_IN_PROGRESS));

    assertThat(failed.effects())
        .containsExactly(
            reply(2, Answer.Synced.failed(REBALANCE_IN_PROGRESS)),
            session(A),
            reply(1, Answer.Synced.failed(REBALANCE_IN_PROGRESS)),
            session(B),
            cancel(Kind.SYNC),
            moved(2, COMPLETING_REBALANCE, PREPARING_REBALANCE, Reason.STORE_FAILED),
            arm(Kind.REBALANCE, REBALANCE_MS));
    assertThat(failed.state().hard().members().get(A).assignment()).isEqualTo(Opaque.empty());
  }

  @Test
  void aRoundThatIsOvertakenWhileItIsStoredAnswersNobodyWithIt() {
    GroupState storing = groups.after(groups.completing(), leaderSync(2, A, 2));
    long write = storing.round().write();

    Step joined = groups.step(storing, groups.joinOld(3, C));
    Step late = groups.step(joined.state(), new GroupEvent.Persisted(write));

    assertThat(joined.effects()).contains(reply(2, Answer.Synced.failed(REBALANCE_IN_PROGRESS)));
    assertThat(late.effects()).isEmpty();
    assertThat(late.state().phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(late.state().hard()).isEqualTo(joined.state().hard());
    assertThat(late.state().waiting()).isEqualTo(joined.state().waiting());
  }

  @Test
  void aMemberWhoseSyncWasParkedBeyondItsSessionHasAWholeSessionToJoinAgain() {
    GroupState parked = groups.after(groups.completing(), sync(1, B, 2));

    Step given = groups.step(parked, groups.joinOld(3, C));

    assertThat(given.effects())
        .containsSubsequence(reply(1, Answer.Synced.failed(REBALANCE_IN_PROGRESS)), session(B));
  }

  @Test
  void aGenerationThatWasGivenUpIsStoredAsAnnouncedBeforeTheNextIs() {
    GroupState first = groups.stable();
    GroupState givenUp = groups.after(groups.completing(), leave(1, B));

    Step asked = groups.step(givenUp, groups.rejoin(2, A));

    assertThat(asked.state().phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(asked.effects())
        .containsExactly(
            cancel(Kind.INITIAL_DELAY),
            cancel(Kind.REBALANCE),
            new GroupEffect.Persist(2, first.hard().withAnnounced(2)));

    Step stored = groups.step(asked.state(), new GroupEvent.Persisted(2));

    assertThat(stored.effects())
        .contains(moved(3, PREPARING_REBALANCE, COMPLETING_REBALANCE, Reason.ALL_JOINED));
    assertThat(GroupState.restored(first.id(), first.hard().withAnnounced(2)).generation())
        .isEqualTo(1);
  }

  @Test
  void aNumberThatCannotBeStoredIsTriedAgainAndWhoWaitsGoesOnWaiting() {
    GroupState givenUp = groups.after(groups.completing(), leave(1, B), groups.rejoin(2, A));

    Step failed = groups.step(givenUp, new GroupEvent.PersistFailed(2, REBALANCE_IN_PROGRESS));
    Step again = groups.step(failed.state(), timer(Kind.REBALANCE));

    assertThat(failed.effects()).containsExactly(arm(Kind.REBALANCE, 1_000));
    assertThat(failed.state().parked()).isEqualTo(1);
    assertThat(again.effects())
        .endsWith(new GroupEffect.Persist(3, groups.stable().hard().withAnnounced(2)));
  }

  @Test
  void aMemberThatMissesTheJoinPhaseIsDroppedAndItsLeadershipGoesToOneThatCame() {
    GroupState waiting = groups.after(groups.preparing(), groups.rejoin(1, B));

    Step step = groups.step(waiting, timer(Kind.REBALANCE));

    assertThat(step.state().phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(step.state().hard().members().keySet()).containsExactly(B);
    assertThat(step.state().hard().leader()).isEqualTo("b");
    assertThat(step.effects())
        .contains(
            cancel(Kind.SESSION, A),
            reply(
                1,
                new Answer.Joined(
                    NONE,
                    2,
                    "consumer",
                    "range",
                    "b",
                    "b",
                    false,
                    List.of(new Answer.JoinedMember(B, "", bytes("t"))))));
  }

  @Test
  void aMemberThatJoinsAndNeverSyncsIsDropped() {
    GroupState waiting = groups.after(groups.completing(), leaderSync(1, A, 2));

    Step step = groups.step(waiting, timer(Kind.SYNC));

    assertThat(step.state().phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(step.state().hard().members().keySet()).containsExactly(A);
    assertThat(step.effects())
        .contains(
            moved(2, COMPLETING_REBALANCE, PREPARING_REBALANCE, Reason.SYNC_TIMEOUT),
            reply(1, Answer.Synced.failed(REBALANCE_IN_PROGRESS)));
  }

  @Test
  void aSilentMemberExpiresButOneWhoseRequestIsParkedIsAlive() {
    GroupState parkedSync = groups.after(groups.completing(), sync(1, B, 2));
    GroupState parkedJoin = groups.after(groups.preparing(), groups.rejoin(1, A));

    assertThat(groups.step(parkedSync, timer(Kind.SESSION, B)).state()).isEqualTo(parkedSync);
    assertThat(groups.step(parkedJoin, timer(Kind.SESSION, A)).state()).isEqualTo(parkedJoin);
    Step expired = groups.step(groups.stable(), timer(Kind.SESSION, C));
    assertThat(expired.effects())
        .containsExactly(
            cancel(Kind.SESSION, C),
            cancel(Kind.SYNC),
            moved(1, STABLE, PREPARING_REBALANCE, Reason.MEMBER_EXPIRED),
            arm(Kind.REBALANCE, REBALANCE_MS));
    assertThat(expired.state().hard().members().keySet()).containsExactly(A, B);
  }

  @Test
  void aFirstJoinParkedForFiveMinutesIsADeadSocket() {
    GroupState parked = groups.after(groups.preparing(), groups.joinOld(1, C));

    Step step = groups.step(parked, timer(Kind.NEW_MEMBER, C));

    assertThat(step.effects())
        .containsExactly(
            cancel(Kind.SESSION, C),
            cancel(Kind.NEW_MEMBER, C),
            reply(1, Answer.Joined.failed(UNKNOWN_MEMBER_ID, "")));
  }

  @Test
  void aHeartbeatRearmsATimerAndCopiesNoState() {
    GroupState stable = groups.stable();

    Step step = groups.step(stable, heartbeat(1, "a", 1));

    assertThat(step.state()).isSameAs(stable);
    assertThat(step.effects()).containsExactly(session(A), reply(1, new Answer.Plain(NONE)));
  }

  @Test
  void theLastMemberLeavesAnEmptyGroupWhichIsStored() {
    Step step = groups.step(groups.stableOfOne(), leave(1, A));

    assertThat(step.state().phase()).isEqualTo(EMPTY);
    assertThat(step.effects())
        .containsExactly(
            cancel(Kind.SESSION, A),
            reply(
                1,
                new Answer.Left(
                    NONE,
                    List.of(new Answer.Left.Result(new GroupEvent.Identity("a", "", ""), NONE)))),
            cancel(Kind.SYNC),
            moved(1, STABLE, PREPARING_REBALANCE, Reason.MEMBER_LEAVE),
            cancel(Kind.INITIAL_DELAY),
            cancel(Kind.REBALANCE),
            moved(2, PREPARING_REBALANCE, EMPTY, Reason.NO_MEMBERS),
            new GroupEffect.Persist(2, new HardState(2, "consumer", "", "", Map.of())));
  }

  @Test
  void severalWhoLeaveInOneRequestCauseOneRebalance() {
    Step step = groups.step(groups.stable(), leave(1, B, C));

    assertThat(step.effects().stream().filter(e -> e instanceof GroupEffect.Moved)).hasSize(1);
    assertThat(step.state().hard().members().keySet()).containsExactly(A);
  }

  @Test
  void aFollowerThatRejoinsUnchangedIsAnsweredAtOnceAndALeaderStartsARound() {
    GroupState stable = groups.stable();

    Step follower = groups.step(stable, groups.rejoin(1, B));
    Step leader = groups.step(stable, groups.rejoin(1, A));
    Step withNews = groups.step(stable, groups.join(1, "b", C, true, range("t, gave up 0")));
    Step withOtherTopics = groups.step(stable, groups.rejoin(1, B, Set.of("t", "u")));

    assertThat(follower.effects())
        .containsExactly(
            reply(1, new Answer.Joined(NONE, 1, "consumer", "range", "a", "b", false, List.of())),
            session(B));
    assertThat(leader.effects())
        .contains(moved(1, STABLE, PREPARING_REBALANCE, Reason.LEADER_REJOIN));
    assertThat(withNews.effects())
        .contains(moved(1, STABLE, PREPARING_REBALANCE, Reason.MEMBER_REJOIN));
    assertThat(withOtherTopics.effects())
        .contains(moved(1, STABLE, PREPARING_REBALANCE, Reason.SUBSCRIPTION_CHANGE));
  }

  @Test
  void theProtocolMostMembersPreferAmongThoseAllKnowIsChosen() {
    Protocol range = range("t");
    Protocol sticky = new Protocol("sticky", bytes("s"));
    Protocol own = new Protocol("own", bytes("o"));
    GroupState done =
        groups.after(
            Groups.unknown(),
            groups.join(1, "", A, false, own, sticky, range),
            groups.join(2, "", B, false, range, sticky),
            groups.join(3, "", C, false, sticky, range),
            timer(Kind.INITIAL_DELAY),
            timer(Kind.INITIAL_DELAY));

    assertThat(done.hard().protocol()).isEqualTo("sticky");
  }

  @Test
  void topicChangesStartARoundOnlyInGroupsLedByOurClient() {
    GroupEvent changed = new GroupEvent.TopicsChanged(Set.of("t"));
    GroupEvent unrelated = new GroupEvent.TopicsChanged(Set.of("u"));
    Groups ours = Groups.ofOurClient();

    assertThat(groups.step(groups.stable(), changed).effects()).isEmpty();
    assertThat(ours.step(ours.stable(), unrelated).effects()).isEmpty();
    assertThat(ours.step(ours.stable(), changed).effects())
        .contains(moved(1, STABLE, PREPARING_REBALANCE, Reason.TOPIC_CHANGE));
  }

  @Test
  void aTopicThatChangesWhileItIsAssignedStartsTheNextRoundAtOnce() {
    Groups ours = Groups.ofOurClient();
    GroupState storing =
        ours.after(
            ours.completing(), new GroupEvent.TopicsChanged(Set.of("t")), leaderSync(2, A, 2));

    Step step = ours.step(storing, new GroupEvent.Persisted(storing.round().write()));

    assertThat(step.effects().stream().filter(e -> e instanceof GroupEffect.Moved))
        .containsExactly(
            moved(2, COMPLETING_REBALANCE, STABLE, Reason.ASSIGNMENT_STORED),
            moved(2, STABLE, PREPARING_REBALANCE, Reason.TOPIC_CHANGE));
  }

  @Test
  void aRestoredGroupGivesEveryMemberItsSessionAgainAndSkipsAGeneration() {
    HardState hard = groups.stable().hard();
    GroupState restored = GroupState.restored(groups.stable().id(), hard);

    Step step = groups.step(restored, new GroupEvent.Restored());
    GroupState next =
        groups.after(
            step.state(),
            leave(1, C),
            groups.rejoin(2, A),
            groups.rejoin(3, B),
            new GroupEvent.Persisted(1));

    assertThat(step.effects()).containsExactly(session(A), session(B), session(C));
    assertThat(next.generation()).isEqualTo(3);
  }

  @Test
  void aCoordinatorThatIsLostBeforeItsFirstGenerationIsStoredLeavesItsNumberUsed() {
    GroupState restored = GroupState.restored(groups.stable().id(), groups.stable().hard());
    GroupState asked =
        groups.after(restored, leave(1, C), groups.rejoin(2, A), groups.rejoin(3, B));
    HardState stored = asked.round().stored().expected();
    assertThat(groups.after(asked, new GroupEvent.Persisted(1)).generation()).isEqualTo(3);

    GroupState next =
        groups.after(
            GroupState.restored(restored.id(), stored),
            leave(4, C),
            groups.rejoin(5, A),
            groups.rejoin(6, B),
            new GroupEvent.Persisted(1));

    assertThat(next.generation()).isEqualTo(4);
  }

  @Test
  void whoeverWaitsWhenTheCoordinatorResignsIsTold() {
    GroupState parked = groups.after(groups.preparing(), groups.rejoin(1, A));

    Step step = groups.step(parked, new GroupEvent.Resigned(NOT_COORDINATOR));

    assertThat(step.effects())
        .containsExactly(
            reply(1, Answer.Joined.failed(NOT_COORDINATOR, "a")),
            moved(1, PREPARING_REBALANCE, GroupPhase.DEAD, Reason.RESIGNED));
  }

  @Test
  void aStateThatContradictsItselfIsNotCarriedOn() {
    GroupState stable = groups.stable();

    assertThatThrownBy(
            () ->
                new GroupState(
                    stable.id(),
                    EMPTY,
                    stable.hard(),
                    Waiting.NOBODY,
                    stable.round(),
                    Serving.NOTHING))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("expected no members in Empty, found [a, b, c]");
  }
}
