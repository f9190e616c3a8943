package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.B;
import static io.rebalancer.coordinator.group.Groups.REBALANCE_MS;
import static io.rebalancer.coordinator.group.Groups.timer;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * In a server-assigned group: what a Join frees, which may have been under way for long over a
 * connection that its sender has given up, and been given partitions since over another.
 */
class LateJoinTest {

  private static final int UNTOLD = Kept.UNTOLD;

  private final GroupStateMachine machine =
      new GroupStateMachine(
          new GroupRules(0, 6_000, 60_000, 100, group -> GroupOptions.server("uniform", 0)),
          assignment -> Opaque.empty());
  private GroupState group = Groups.unknown();
  private long requests;

  /** Everything is stored at once. */
  private List<GroupEffect> on(GroupEvent event) {
    Step step = machine.step(group, event);
    group = step.state();
    while (group.serving().writing() != 0) {
      group = machine.step(group, new GroupEvent.Persisted(group.serving().writing())).state();
    }
    return step.effects();
  }

  private void join(MemberId member, String memberId, Assignment kept, int generation) {
    on(Groups.servedJoin(++requests, memberId, member, "", new Kept(kept, generation)));
  }

  private void rejoin(MemberId member, Assignment kept, int generation) {
    join(member, member.value(), kept, generation);
  }

  private GroupError beat(MemberId member, int generation) {
    return answer(
        on(
            new GroupEvent.HeartbeatRequested(
                new RequestId(++requests), member.value(), "", generation)));
  }

  private GroupError sync(MemberId member, int generation) {
    return answer(
        on(
            new GroupEvent.SyncRequested(
                new RequestId(++requests),
                member.value(),
                "",
                generation,
                "consumer",
                "range",
                Map.of())));
  }

  private static GroupError answer(List<GroupEffect> effects) {
    return effects.stream()
        .filter(GroupEffect.Reply.class::isInstance)
        .map(each -> ((GroupEffect.Reply) each).answer().error())
        .findFirst()
        .orElseThrow();
  }

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  private Share of(MemberId member) {
    return group.shares().share(member);
  }

  private int generationOf(MemberId member) {
    return of(member).generation();
  }

  /** a owns two partitions and is to let go of one, for b. */
  private void revoking() {
    join(A, "", Assignment.empty(), UNTOLD);
    on(timer(Kind.INITIAL_DELAY));
    on(new GroupEvent.Assigned(group.serving().assigning(), Map.of(A, t(0, 1))));
    join(B, "", Assignment.empty(), UNTOLD);
    on(new GroupEvent.Assigned(group.serving().assigning(), Map.of(A, t(0), B, t(1))));
  }

  @Test
  void withoutAGenerationItFreesNothingUntilTheSyncThatFollowsIt() {
    revoking();
    rejoin(A, t(0), UNTOLD);

    assertThat(of(A).held()).isEqualTo(t(0, 1));
    assertThat(beat(B, generationOf(B))).isEqualTo(NONE);

    assertThat(sync(A, generationOf(A))).isEqualTo(NONE);
    assertThat(of(A).isSettled()).isTrue();
    assertThat(group.serving().revoking()).isEmpty();
    assertThat(beat(B, generationOf(B))).isEqualTo(REBALANCE_IN_PROGRESS);
  }

  @Test
  void aMemberThatNeedsNoSyncShowsItByItsHeartbeat() {
    revoking();
    rejoin(A, t(0), UNTOLD);

    assertThat(beat(A, generationOf(A))).isEqualTo(NONE);
    assertThat(of(A).held()).isEqualTo(t(0));
    assertThat(group.hard()).isEqualTo(group.round().stored().last());
  }

  @Test
  void nobodyIsGivenWhatALateOneDoesNotKeep() {
    revoking();
    int processing = generationOf(A);
    rejoin(A, Assignment.empty(), UNTOLD);

    assertThat(beat(A, processing)).isEqualTo(ILLEGAL_GENERATION);
    assertThat(beat(B, generationOf(B))).isEqualTo(NONE);
    assertThat(of(A).held()).isEqualTo(t(0, 1));
  }

  @Test
  void whileALateOneWaitsForAnAssignmentHeartbeatsDoNotConfirmIt() {
    revoking();
    int processing = generationOf(A);
    on(new GroupEvent.TopicsChanged(Set.of("t")));
    rejoin(A, Assignment.empty(), UNTOLD);

    beat(A, processing);
    sync(A, processing);

    assertThat(of(A).held()).isEqualTo(t(0, 1));
  }

  @Test
  void oneThatKeepsWhatALateOneDidNotIsBelieved() {
    revoking();
    rejoin(A, Assignment.empty(), UNTOLD);
    rejoin(A, t(0, 1), UNTOLD);
    sync(A, generationOf(A));

    assertThat(of(A).held()).isEqualTo(t(0, 1));
  }

  @Test
  void anAnswerToALateOneConfirmsNothingToWhoeverNamesAnEarlierGeneration() {
    revoking();
    int processing = generationOf(A);
    rejoin(A, Assignment.empty(), UNTOLD);
    rejoin(A, t(0, 1), processing);
    sync(A, generationOf(A));

    assertThat(of(A).held()).isEqualTo(t(0, 1));
  }

  @Test
  void withItsSendersGenerationItFreesAtOnceAndNoOtherOfThatGenerationDoes() {
    revoking();
    int before = generationOf(A);
    rejoin(A, Assignment.empty(), before);

    assertThat(of(A)).isEqualTo(new Share(generationOf(A), t(0), t(0), t(0)));
    assertThat(generationOf(A)).isGreaterThan(before);

    on(new GroupEvent.TopicsChanged(Set.of("t")));
    on(new GroupEvent.Assigned(group.serving().assigning(), Map.of(A, t(), B, t(0, 1))));
    rejoin(A, Assignment.empty(), before);
    assertThat(of(A).held()).isEqualTo(t(0));
  }

  @Test
  void whoeverLetsGoAndIsGivenTheSameAgainIsInAnotherGeneration() {
    join(A, "", Assignment.empty(), UNTOLD);
    on(timer(Kind.INITIAL_DELAY));
    on(new GroupEvent.Assigned(group.serving().assigning(), Map.of(A, t(0))));
    int before = generationOf(A);
    rejoin(A, Assignment.empty(), before);

    assertThat(of(A)).isEqualTo(new Share(before + 1, t(0), t(0), t(0)));
  }

  @Test
  void whoeverHasLetGoHasItsWholeTimeForWhatItIsToLetGoNext() {
    revoking();
    rejoin(A, t(0), UNTOLD);
    on(new GroupEvent.TopicsChanged(Set.of("t")));
    on(new GroupEvent.Assigned(group.serving().assigning(), Map.of(A, t(), B, t(0, 1))));

    assertThat(
            on(
                new GroupEvent.HeartbeatRequested(
                    new RequestId(++requests), "a", "", generationOf(A))))
        .contains(Groups.arm(Kind.REVOCATION, A, REBALANCE_MS));
  }
}
