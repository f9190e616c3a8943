package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.FENCED_INSTANCE_ID;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.NONE;
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
import static io.rebalancer.coordinator.group.Groups.leaderSync;
import static io.rebalancer.coordinator.group.Groups.range;
import static io.rebalancer.coordinator.group.Groups.reply;
import static io.rebalancer.coordinator.group.Groups.request;
import static io.rebalancer.coordinator.group.Groups.session;
import static io.rebalancer.coordinator.group.Groups.sync;
import static io.rebalancer.coordinator.group.Groups.timer;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** KIP-345 and KIP-814: i1 is a's instance id and a leads; i2 is b's. */
class StaticMembershipTest {

  private static final MemberId A2 = new MemberId("a2");
  private static final MemberId B2 = new MemberId("b2");

  private final Groups groups = new Groups();

  private GroupEvent.JoinRequested join(
      long request, String memberId, MemberId fresh, String instance, Protocol... protocols) {
    return join(request, memberId, fresh, instance, true, protocols);
  }

  private GroupEvent.JoinRequested join(
      long request,
      String memberId,
      MemberId fresh,
      String instance,
      boolean canSkip,
      Protocol... protocols) {
    GroupEvent.JoinRequested dynamic = groups.join(request, memberId, fresh, true, protocols);
    return new GroupEvent.JoinRequested(
        dynamic.request(),
        memberId,
        fresh,
        true,
        canSkip,
        instance,
        dynamic.client(),
        dynamic.sessionTimeoutMs(),
        dynamic.rebalanceTimeoutMs(),
        dynamic.protocolType(),
        dynamic.protocols(),
        dynamic.topics(),
        Kept.NOTHING,
        "");
  }

  private GroupEvent.JoinRequested rejoin(long request, MemberId id, String instance) {
    return join(request, id.value(), new MemberId("unused"), instance, range("t"));
  }

  private GroupState completing() {
    return groups.after(
        Groups.unknown(),
        join(1, "", A, "i1", range("t")),
        join(2, "", B, "i2", range("t")),
        timer(Kind.INITIAL_DELAY),
        timer(Kind.INITIAL_DELAY));
  }

  private GroupState stable() {
    return groups.after(
        completing(), sync(3, B, 1), leaderSync(4, A, 1), new GroupEvent.Persisted(1));
  }

  private static GroupEvent beat(long request, MemberId member, String instance, int generation) {
    return new GroupEvent.HeartbeatRequested(
        request(request), member.value(), instance, generation);
  }

  private static GroupEvent syncAs(long request, MemberId member, String instance, int generation) {
    return new GroupEvent.SyncRequested(
        request(request), member.value(), instance, generation, "", "", Map.of());
  }

  private static GroupEvent commitAs(
      long request, MemberId member, String instance, int generation) {
    return new GroupEvent.CommitRequested(
        request(request), member.value(), instance, generation, Groups.positions());
  }

  private static GroupEvent leaveAs(long request, String member, String instance) {
    return new GroupEvent.LeaveRequested(
        request(request), List.of(new GroupEvent.Identity(member, instance, "")));
  }

  private GroupError errorOf(GroupState state, GroupEvent event) {
    return groups.step(state, event).effects().stream()
        .filter(GroupEffect.Reply.class::isInstance)
        .map(GroupEffect.Reply.class::cast)
        .reduce((first, last) -> last)
        .map(
            reply ->
                reply.answer() instanceof Answer.Left left
                    ? left.results().get(0).error()
                    : reply.answer().error())
        .orElse(NONE);
  }

  @Test
  void anInstanceIdMakesAMemberAtOnce() {
    Step step = groups.step(Groups.unknown(), join(1, "", A, "i1", range("t")));

    assertThat(step.state().phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(step.state().waiting().pending()).isEmpty();
    assertThat(step.state().hard().members().get(A).instanceId()).isEqualTo("i1");
  }

  @Test
  void e40AMemberThatRestartsGetsItsPartBackWithoutARebalance() {
    Step asked = groups.step(stable(), join(10, "", B2, "i2", range("t")));

    assertThat(asked.state().phase()).isEqualTo(STABLE);
    assertThat(asked.state().hard().members().keySet()).containsExactly(A, B2);
    assertThat(asked.effects())
        .containsExactly(
            cancel(Kind.SESSION, B), session(B2), new GroupEffect.Persist(2, asked.state().hard()));

    Step stored = groups.step(asked.state(), new GroupEvent.Persisted(2));

    assertThat(stored.effects())
        .containsExactly(
            reply(10, new Answer.Joined(NONE, 1, "consumer", "range", "a", "b2", false, List.of())),
            session(B2));
    assertThat(groups.step(stored.state(), syncAs(11, B2, "i2", 1)).effects())
        .contains(reply(11, new Answer.Synced(NONE, "consumer", "range", bytes("part of b"))));
  }

  @Test
  void aGroupLeaderThatRestartsIsToldThatItLeadsAndHasNothingToAssign() {
    GroupState asked = groups.after(stable(), join(10, "", A2, "i1", range("t")));

    assertThat(groups.step(asked, new GroupEvent.Persisted(2)).effects())
        .startsWith(
            reply(
                10,
                new Answer.Joined(
                    NONE,
                    1,
                    "consumer",
                    "range",
                    "a2",
                    "a2",
                    true,
                    List.of(
                        new Answer.JoinedMember(A2, "i1", bytes("t")),
                        new Answer.JoinedMember(B, "i2", bytes("t"))))));
    assertThat(asked.hard().leader()).isEqualTo("a2");
  }

  @Test
  void anOlderGroupLeaderThatRestartsIsToldThatItsFormerSelfLeads() {
    GroupState asked = groups.after(stable(), join(10, "", A2, "i1", false, range("t")));

    assertThat(groups.step(asked, new GroupEvent.Persisted(2)).effects())
        .startsWith(
            reply(
                10, new Answer.Joined(NONE, 1, "consumer", "range", "a", "a2", false, List.of())));
  }

  @Test
  void e41AGroupLeaderThatJoinsAgainUnderItsIdStartsARebalance() {
    assertThat(groups.after(stable(), rejoin(10, A, "i1")).phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(groups.after(stable(), rejoin(10, B, "i2")).phase()).isEqualTo(STABLE);
  }

  @Test
  void e41AMemberThatIsAwayLongerThanItsSessionStartsARebalance() {
    GroupState state = groups.after(stable(), timer(Kind.SESSION, B));

    assertThat(state.phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(state.hard().members().keySet()).containsExactly(A);
  }

  @Test
  void e41AnAdministratorRemovesAMemberByItsInstanceIdAlone() {
    GroupState state = groups.after(stable(), leaveAs(10, "", "i2"));

    assertThat(state.phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(state.hard().members().keySet()).containsExactly(A);
    assertThat(errorOf(stable(), leaveAs(10, "", "i9"))).isEqualTo(UNKNOWN_MEMBER_ID);
    assertThat(errorOf(stable(), leaveAs(10, "", ""))).isEqualTo(UNKNOWN_MEMBER_ID);
  }

  @Test
  void aRestartWithOtherProtocolsKeepsTheChosenOneOrStartsARebalance() {
    Protocol other = new Protocol("other", bytes("t"));

    GroupState same = groups.after(stable(), join(10, "", B2, "i2", range("u"), other));
    assertThat(same.phase()).isEqualTo(STABLE);
    assertThat(same.hard().members().get(B2).metadata("range")).isEqualTo(bytes("u"));

    Groups both = groups;
    GroupState two =
        both.after(
            Groups.unknown(),
            join(1, "", A, "i1", range("t"), other),
            timer(Kind.INITIAL_DELAY),
            leaderSync(4, A, 1),
            new GroupEvent.Persisted(1));
    GroupState moved = both.after(two, join(10, "", A2, "i1", other, range("t")));
    assertThat(moved.phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(moved.hard().protocol()).isEqualTo("other");
  }

  @Test
  void aRestartWhileAGenerationIsMadeStartsTheNextOne() {
    GroupState parked = groups.after(completing(), sync(3, B, 1));

    Step step = groups.step(parked, join(10, "", B2, "i2", range("t")));

    assertThat(step.state().phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(step.state().waiting().joins()).containsOnlyKeys(B2);
    assertThat(step.effects()).contains(reply(3, Answer.Synced.failed(FENCED_INSTANCE_ID)));
  }

  @Test
  void b040OfTwoProcessesWithOneInstanceIdTheLaterIsTheMember() {
    GroupState preparing =
        groups.after(stable(), timer(Kind.SESSION, B), join(9, "", B, "i2", range("t")));
    assertThat(preparing.phase()).isEqualTo(PREPARING_REBALANCE);

    Step second = groups.step(preparing, join(10, "", B2, "i2", range("t")));

    assertThat(second.effects()).contains(reply(9, Answer.Joined.failed(FENCED_INSTANCE_ID, "b")));
    assertThat(second.state().hard().members().keySet()).containsExactly(A, B2);
    GroupState next = groups.after(second.state(), rejoin(11, A, "i1"));
    assertThat(next.phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(next.hard().members().keySet()).containsExactly(A, B2);
    assertThat(errorOf(next, beat(12, B, "i2", 2))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(next, syncAs(12, B, "i2", 2))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(next, commitAs(12, B, "i2", 2))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(next, leaveAs(12, "b", "i2"))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(next, rejoin(12, B, "i2"))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(groups.after(next, leaveAs(12, "b", "i2"))).isEqualTo(next);
  }

  @Test
  void aSecondRestartBeforeTheFirstIsStoredFencesTheFirst() {
    GroupState first = groups.after(stable(), join(10, "", B2, "i2", range("t")));

    Step second = groups.step(first, join(11, "", new MemberId("b3"), "i2", range("t")));

    assertThat(second.effects())
        .contains(reply(10, Answer.Joined.failed(FENCED_INSTANCE_ID, "b2")));
    assertThat(groups.step(second.state(), new GroupEvent.Persisted(2)).effects()).isEmpty();
    assertThat(groups.step(second.state(), new GroupEvent.Persisted(3)).effects()).hasSize(2);
  }

  @Test
  void b041AReplacementThatIsNotStoredDidNotHappen() {
    GroupState before = stable();
    GroupState asked = groups.after(before, join(10, "", A2, "i1", range("t")));

    Step failed = groups.step(asked, new GroupEvent.PersistFailed(2, REBALANCE_IN_PROGRESS));

    assertThat(failed.effects())
        .containsExactly(
            cancel(Kind.SESSION, A2),
            session(A),
            reply(10, Answer.Joined.failed(REBALANCE_IN_PROGRESS, "")));
    assertThat(failed.state().hard()).isEqualTo(before.hard());
    assertThat(errorOf(failed.state(), beat(11, A, "i1", 1))).isEqualTo(NONE);
  }

  @Test
  void b041AReplacementThatIsStoredIsKnownToTheNextCoordinator() {
    Step asked = groups.step(stable(), join(10, "", B2, "i2", range("t")));
    HardState stored = ((GroupEffect.Persist) asked.effects().get(2)).state();

    GroupState restored = GroupState.restored(Groups.unknown().id(), stored);

    assertThat(errorOf(restored, beat(11, B2, "i2", 1))).isEqualTo(NONE);
    assertThat(errorOf(restored, beat(11, B, "i2", 1))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(restored.hard().members().get(B2).assignment()).isEqualTo(bytes("part of b"));
  }

  @Test
  void aRebalanceThatStartsBeforeTheRestartIsStoredTakesTheNewcomerIn() {
    GroupState asked = groups.after(stable(), join(10, "", B2, "i2", range("t")));

    GroupState preparing = groups.after(asked, rejoin(11, A, "i1"));

    assertThat(preparing.phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(preparing.generation()).isEqualTo(2);
    assertThat(preparing.hard().members().keySet()).containsExactly(A, B2);
    assertThat(groups.step(preparing, new GroupEvent.Persisted(2)).effects()).isEmpty();
  }

  @Test
  void b044AFullGroupTakesAMemberBackThatOnlyReplacesItself() {
    Groups ofTwo = new Groups(2);
    GroupState full =
        ofTwo.after(
            Groups.unknown(),
            join(1, "", A, "i1", range("t")),
            join(2, "", B, "i2", range("t")),
            timer(Kind.INITIAL_DELAY),
            timer(Kind.INITIAL_DELAY),
            sync(3, B, 1),
            leaderSync(4, A, 1),
            new GroupEvent.Persisted(1));

    assertThat(ofTwo.after(full, join(10, "", B2, "i2", range("t"))).phase()).isEqualTo(STABLE);
    assertThat(ofTwo.step(full, join(10, "", C, "i3", range("t"))).effects())
        .containsExactly(reply(10, Answer.Joined.failed(GroupError.GROUP_MAX_SIZE_REACHED, "")));
  }

  @Test
  void aStaticMemberThatMissesTheJoinPhaseStaysInUntilItsSessionEnds() {
    GroupState preparing = groups.after(stable(), groups.joinOld(10, C), rejoin(11, B, "i2"));
    assertThat(preparing.phase()).isEqualTo(PREPARING_REBALANCE);

    GroupState next = groups.after(preparing, timer(Kind.REBALANCE));

    assertThat(next.phase()).isEqualTo(COMPLETING_REBALANCE);
    assertThat(next.hard().members().keySet()).containsExactly(A, B, C);
    assertThat(next.hard().leader()).isEqualTo("b");
    assertThat(groups.after(next, timer(Kind.SESSION, A)).hard().members().keySet())
        .containsExactly(B, C);
  }

  @Test
  void aJoinPhaseInWhichOnlyAbsentStaticMembersAreLeftGoesOn() {
    GroupState preparing = groups.after(stable(), timer(Kind.SESSION, B));

    Step step = groups.step(preparing, timer(Kind.REBALANCE));

    assertThat(step.state().phase()).isEqualTo(PREPARING_REBALANCE);
    assertThat(step.effects()).contains(arm(Kind.REBALANCE, REBALANCE_MS));
    assertThat(groups.after(step.state(), timer(Kind.SESSION, A)).phase()).isEqualTo(EMPTY);
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupPhase.class,
      names = {"PREPARING_REBALANCE", "COMPLETING_REBALANCE", "STABLE"})
  void anotherMemberIdIsFencedAndAnotherInstanceUnknownInEveryPhase(GroupPhase phase) {
    GroupState state =
        switch (phase) {
          case PREPARING_REBALANCE -> groups.after(stable(), groups.joinOld(10, C));
          case COMPLETING_REBALANCE -> completing();
          default -> stable();
        };
    assertThat(state.phase()).isEqualTo(phase);
    int now = state.generation();

    assertThat(errorOf(state, beat(20, A, "i2", now))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(state, beat(20, A, "i9", now))).isEqualTo(UNKNOWN_MEMBER_ID);
    assertThat(errorOf(state, beat(20, A, "i1", now + 1))).isEqualTo(ILLEGAL_GENERATION);
    assertThat(errorOf(state, syncAs(20, A, "i2", now))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(state, commitAs(20, A, "i2", now))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(state, leaveAs(20, "a", "i2"))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(state, leaveAs(20, "a", "i9"))).isEqualTo(UNKNOWN_MEMBER_ID);
    assertThat(errorOf(state, rejoin(20, A, "i2"))).isEqualTo(FENCED_INSTANCE_ID);
    assertThat(errorOf(state, rejoin(20, A, "i9"))).isEqualTo(UNKNOWN_MEMBER_ID);
    assertThat(errorOf(state, beat(20, A, "", now)))
        .isEqualTo(phase == PREPARING_REBALANCE ? REBALANCE_IN_PROGRESS : NONE);
  }

  @Test
  void whoeverWaitsForAReplacementToBeStoredIsToldWhenTheGroupIsGivenUp() {
    GroupState asked = groups.after(stable(), join(10, "", B2, "i2", range("t")));

    assertThat(groups.step(asked, new GroupEvent.Resigned(GroupError.NOT_COORDINATOR)).effects())
        .contains(reply(10, Answer.Joined.failed(GroupError.NOT_COORDINATOR, "b2")));
    assertThat(asked.parked()).isEqualTo(1);
    assertThat(groups.step(asked, timer(Kind.SESSION, B2)).state()).isEqualTo(asked);
    assertThat(SESSION_MS).isEqualTo(asked.hard().members().get(B2).sessionTimeoutMs());
  }
}
