package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupPhase.COMPLETING_REBALANCE;
import static io.rebalancer.coordinator.group.GroupPhase.DEAD;
import static io.rebalancer.coordinator.group.GroupPhase.EMPTY;
import static io.rebalancer.coordinator.group.GroupPhase.PREPARING_REBALANCE;
import static io.rebalancer.coordinator.group.GroupPhase.STABLE;
import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.B;
import static io.rebalancer.coordinator.group.Groups.commit;
import static io.rebalancer.coordinator.group.Groups.heartbeat;
import static io.rebalancer.coordinator.group.Groups.leave;
import static io.rebalancer.coordinator.group.Groups.sync;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.MemberId;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Request by phase, against the table of Kafka's coordinator: codes as numbers. */
class ErrorTableTest {

  private static final MemberId STRANGER = new MemberId("stranger");
  private static final int NOT_ANSWERED = -99;

  private final Groups groups = new Groups();

  private int codeOf(GroupState state, GroupEvent event) {
    return codeOf(groups, state, event);
  }

  private static int codeOf(Groups groups, GroupState state, GroupEvent event) {
    return groups.step(state, event).effects().stream()
        .filter(effect -> effect instanceof GroupEffect.Reply reply && reply.request().value() == 1)
        .map(effect -> (int) ((GroupEffect.Reply) effect).answer().error().code())
        .findFirst()
        .orElse(NOT_ANSWERED);
  }

  @ParameterizedTest
  @CsvSource({
    "DEAD, 15, 15, 15",
    "EMPTY, 25, 25, 25",
    "PREPARING_REBALANCE, 27, 25, 22",
    "COMPLETING_REBALANCE, 0, 25, 22",
    "STABLE, 0, 25, 22"
  })
  void heartbeatByPhase(GroupPhase phase, int right, int unknownMember, int wrongGeneration) {
    GroupState state = groups.in(phase);
    int generation = state.generation();

    assertThat(codeOf(state, heartbeat(1, "b", generation))).isEqualTo(right);
    assertThat(codeOf(state, heartbeat(1, "stranger", generation))).isEqualTo(unknownMember);
    assertThat(codeOf(state, heartbeat(1, "b", generation - 1))).isEqualTo(wrongGeneration);
  }

  @ParameterizedTest
  @CsvSource({
    "DEAD, 15, 15, 15",
    "EMPTY, 25, 25, 25",
    "PREPARING_REBALANCE, 27, 25, 22",
    "COMPLETING_REBALANCE, -99, 25, 22",
    "STABLE, 0, 25, 22"
  })
  void syncByPhase(GroupPhase phase, int right, int unknownMember, int wrongGeneration) {
    GroupState state = groups.in(phase);
    int generation = state.generation();

    assertThat(codeOf(state, sync(1, B, generation))).isEqualTo(right);
    assertThat(codeOf(state, sync(1, STRANGER, generation))).isEqualTo(unknownMember);
    assertThat(codeOf(state, sync(1, B, generation + 1))).isEqualTo(wrongGeneration);
  }

  @ParameterizedTest
  @CsvSource({
    "DEAD, 15, 15, 15, 15",
    "EMPTY, 25, 25, 25, -99",
    "PREPARING_REBALANCE, -99, 25, 22, 25",
    "COMPLETING_REBALANCE, 27, 25, 22, 25",
    "STABLE, -99, 25, 22, 25"
  })
  void commitByPhase(
      GroupPhase phase, int right, int unknownMember, int wrongGeneration, int outsideMembership) {
    GroupState state = groups.in(phase);
    int generation = state.generation();

    assertThat(codeOf(state, commit(1, "b", generation))).isEqualTo(right);
    assertThat(codeOf(state, commit(1, "stranger", generation))).isEqualTo(unknownMember);
    assertThat(codeOf(state, commit(1, "b", generation + 1))).isEqualTo(wrongGeneration);
    assertThat(codeOf(state, commit(1, "", -1))).isEqualTo(outsideMembership);
  }

  @Test
  void aCommitOfAMemberOfAGroupNobodyKnowsIsToldSo() {
    assertThat(codeOf(Groups.unknown(), commit(1, "a", 3))).isEqualTo(69);
    assertThat(codeOf(Groups.unknown(), commit(1, "", -1))).isEqualTo(NOT_ANSWERED);
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupPhase.class,
      mode = Mode.EXCLUDE,
      names = {"ASSIGNING", "RECONCILING"})
  void leaveByPhase(GroupPhase phase) {
    GroupState state = groups.in(phase);

    Step step = groups.step(state, leave(1, B, STRANGER));

    Answer.Left left =
        step.effects().stream()
            .filter(e -> e instanceof GroupEffect.Reply r && r.request().value() == 1)
            .map(e -> (Answer.Left) ((GroupEffect.Reply) e).answer())
            .findFirst()
            .orElseThrow();
    if (phase == DEAD) {
      assertThat(left.error().code()).isEqualTo((short) 15);
      assertThat(left.results()).isEmpty();
    } else {
      int known = phase == EMPTY ? 25 : 0;
      assertThat(left.error().code()).isEqualTo((short) 0);
      assertThat(left.results())
          .extracting(result -> (int) result.error().code())
          .containsExactly(known, 25);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupPhase.class,
      mode = Mode.EXCLUDE,
      names = {"ASSIGNING", "RECONCILING"})
  void joinOfAnUnknownMemberOrOutOfRangeOrWithNothingInCommonIsRefused(GroupPhase phase) {
    GroupState state = groups.in(phase);
    var stranger = groups.rejoin(1, STRANGER);
    var impatient = with(groups.joinOld(1, STRANGER), 5_999, "consumer");
    var patient = with(groups.joinOld(1, STRANGER), 1_800_001, "consumer");
    var otherType = with(groups.joinOld(1, STRANGER), 10_000, "connect");
    var noType = with(groups.joinOld(1, STRANGER), 10_000, "");
    var otherProtocol = groups.join(1, "", STRANGER, false, new Protocol("sticky", Opaque.empty()));

    assertThat(codeOf(state, stranger)).isEqualTo(phase == DEAD ? 15 : 25);
    assertThat(codeOf(state, impatient)).isEqualTo(26);
    assertThat(codeOf(state, patient)).isEqualTo(26);
    assertThat(codeOf(state, noType)).isEqualTo(phase == DEAD ? 15 : 23);
    if (phase != EMPTY) {
      assertThat(codeOf(state, otherType)).isEqualTo(phase == DEAD ? 15 : 23);
      assertThat(codeOf(state, otherProtocol)).isEqualTo(phase == DEAD ? 15 : 23);
    }
  }

  private static GroupEvent.JoinRequested with(
      GroupEvent.JoinRequested join, int sessionMs, String type) {
    return new GroupEvent.JoinRequested(
        join.request(),
        join.memberId(),
        join.freshId(),
        join.idRequired(),
        true,
        "",
        join.client(),
        sessionMs,
        join.rebalanceTimeoutMs(),
        type,
        join.protocols(),
        join.topics(),
        Kept.NOTHING,
        "");
  }

  @Test
  void aFullGroupTakesNobodyElseButKeepsItsMembers() {
    Groups ofThree = new Groups(3);
    GroupState stable = ofThree.stable();
    GroupState preparing = ofThree.after(stable, ofThree.rejoin(5, A), ofThree.rejoin(6, B));

    assertThat(codeOf(ofThree, stable, ofThree.joinOld(1, STRANGER))).isEqualTo(81);
    assertThat(codeOf(ofThree, stable, ofThree.rejoin(1, B))).isEqualTo(0);
    assertThat(codeOf(ofThree, preparing, ofThree.joinOld(1, STRANGER)))
        .as("the third place is that of the member that has yet to join; Kafka gives it away")
        .isEqualTo(81);
    assertThat(codeOf(ofThree, preparing, ofThree.rejoin(1, Groups.C))).isEqualTo(0);
    assertThat(codeOf(new Groups(2), preparing, ofThree.rejoin(1, Groups.C)))
        .as("a known member that comes after the seats are taken")
        .isEqualTo(81);
  }

  @ParameterizedTest
  @EnumSource(GroupError.class)
  void everyErrorHasKafkasNameAndNumber(GroupError error) {
    assertThat(Errors.forCode(error.code()).name()).isEqualTo(error.name());
  }

  @Test
  void phasesFollowKafkasTableOfMoves() {
    assertThat(EMPTY.mayBecome(PREPARING_REBALANCE)).isTrue();
    assertThat(EMPTY.mayBecome(STABLE)).isFalse();
    assertThat(PREPARING_REBALANCE.mayBecome(EMPTY)).isTrue();
    assertThat(PREPARING_REBALANCE.mayBecome(STABLE)).isFalse();
    assertThat(COMPLETING_REBALANCE.mayBecome(EMPTY)).isFalse();
    assertThat(STABLE.mayBecome(COMPLETING_REBALANCE)).isFalse();
    assertThat(DEAD.mayBecome(EMPTY)).isFalse();
  }
}
