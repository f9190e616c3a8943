package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.cancel;
import static io.rebalancer.coordinator.group.Groups.moved;
import static io.rebalancer.coordinator.group.Groups.reply;
import static io.rebalancer.coordinator.group.Groups.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DeletionTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition U0 = new TopicPartition("u", 0);

  private final Groups groups = new Groups();

  private static GroupEvent delete() {
    return new GroupEvent.DeleteRequested(request(1));
  }

  private static GroupEvent deleteOffsets() {
    return new GroupEvent.OffsetDeleteRequested(request(1), Set.of(T0, U0));
  }

  @ParameterizedTest
  @CsvSource({
    "DEAD, GROUP_ID_NOT_FOUND",
    "PREPARING_REBALANCE, NON_EMPTY_GROUP",
    "COMPLETING_REBALANCE, NON_EMPTY_GROUP",
    "STABLE, NON_EMPTY_GROUP"
  })
  void onlyAnEmptyGroupIsDeleted(GroupPhase phase, GroupError error) {
    GroupState state = groups.in(phase);

    assertThat(groups.step(state, delete()))
        .isEqualTo(new Step(state, List.of(reply(1, new Answer.Plain(error)))));
  }

  @Test
  void aDeletedGroupIsDeadAndIsForgottenBeforeTheAnswer() {
    GroupState empty = groups.empty();

    Step step = groups.step(empty, delete());

    assertThat(step.state().phase()).isEqualTo(GroupPhase.DEAD);
    assertThat(step.effects())
        .containsExactly(
            moved(2, GroupPhase.EMPTY, GroupPhase.DEAD, Reason.DELETED),
            new GroupEffect.Forget(request(1)));
  }

  @Test
  void idsThatWereHandedOutDoNotKeepAGroupFromAnAdministratorButFromExpiry() {
    GroupState pending =
        groups.after(groups.empty(), groups.join(5, "", A, true, Groups.range("t")));

    assertThat(groups.step(pending, new GroupEvent.OffsetsExpired()))
        .isEqualTo(new Step(pending, List.of()));
    assertThat(groups.step(pending, delete()).effects())
        .containsExactly(
            cancel(TimerId.Kind.PENDING, A),
            moved(2, GroupPhase.EMPTY, GroupPhase.DEAD, Reason.DELETED),
            new GroupEffect.Forget(request(1)));
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupPhase.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ASSIGNING", "RECONCILING"})
  void onlyAnEmptyGroupEndsWithItsOffsets(GroupPhase phase) {
    GroupState state = groups.in(phase);

    Step step = groups.step(state, new GroupEvent.OffsetsExpired());

    if (phase == GroupPhase.EMPTY) {
      assertThat(step.effects())
          .containsExactly(
              moved(2, GroupPhase.EMPTY, GroupPhase.DEAD, Reason.OFFSETS_EXPIRED),
              new GroupEffect.Forget(null));
    } else {
      assertThat(step).isEqualTo(new Step(state, List.of()));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupPhase.class,
      names = {"PREPARING_REBALANCE", "COMPLETING_REBALANCE", "STABLE"})
  void positionsOfTopicsThatMembersWantAreLeftAlone(GroupPhase phase) {
    assertThat(groups.step(groups.in(phase), deleteOffsets()).effects())
        .containsExactly(
            new GroupEffect.DeleteOffsets(
                request(1), Set.of(U0), new Answer.OffsetsDeleted(GroupError.NONE, Set.of("t"))));
  }

  @Test
  void anEmptyGroupLosesThemAll() {
    assertThat(groups.step(groups.empty(), deleteOffsets()).effects())
        .containsExactly(
            new GroupEffect.DeleteOffsets(
                request(1), Set.of(T0, U0), new Answer.OffsetsDeleted(GroupError.NONE, Set.of())));
  }

  @Test
  void aLiveGroupOfAnotherKindLosesNone() {
    HardState consumers = groups.stable().hard();
    GroupState connect =
        GroupState.restored(
            groups.stable().id(),
            new HardState(1, "connect", "range", "a", Map.copyOf(consumers.members())));

    assertThat(groups.step(connect, deleteOffsets()).effects())
        .containsExactly(reply(1, new Answer.Plain(GroupError.NON_EMPTY_GROUP)));
    assertThat(groups.step(groups.dead(), deleteOffsets()).effects())
        .containsExactly(reply(1, new Answer.Plain(GroupError.GROUP_ID_NOT_FOUND)));
  }

  /** Its subscription may be one that cannot be read. */
  @Test
  void aMemberThatNamesNoTopicsKeepsThemAll() {
    GroupState silent = groups.after(groups.stableOfOne(), Groups.timer(TimerId.Kind.SESSION, A));
    silent = groups.after(silent, groups.joinOld(6, A), groups.rejoin(7, A, Set.of()));

    assertThat(groups.step(silent, deleteOffsets()).effects())
        .containsExactly(
            new GroupEffect.DeleteOffsets(
                request(1),
                Set.of(),
                new Answer.OffsetsDeleted(GroupError.NONE, Set.of("t", "u"))));
  }
}
