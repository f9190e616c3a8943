package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.wire.GroupAnswers;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.testkit.LogCapture;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.junit.jupiter.api.Test;

class ServedFieldsTest {

  private static final MemberId M = new MemberId("m-1");
  private static final Assignment SHARE = Assignment.of("t", PartitionSet.of(2));
  private static final long MS = 1_000_000;

  private final GroupMessages messages =
      new GroupMessages(
          new GroupId("g"),
          "a",
          CoordinatorClientConfig.of(List.of(InetSocketAddress.createUnresolved("c", 1))),
          Strategies.named("range"));

  private static JoinGroupResponseData answer(byte[] part, int delayMs) {
    Answer.Joined joined =
        new Answer.Joined(
            GroupError.NONE,
            7,
            "consumer",
            "range",
            "",
            M.value(),
            false,
            List.of(),
            Opaque.copyOf(part),
            delayMs);
    return sent(GroupAnswers.join((short) 9, joined));
  }

  /** As it comes over the wire. */
  private static JoinGroupResponseData sent(JoinGroupResponseData answer) {
    return new JoinGroupResponseData(
        MessageUtil.toByteBufferAccessor(answer, (short) 9), (short) 9);
  }

  private MemberEvent.Joined joined(JoinGroupResponseData answer, long atMs) {
    return messages.joined(1, answer, 0, atMs * MS);
  }

  private MemberEvent.Told beat(HeartbeatResponseData answer, long atMs) {
    return messages.told(7, answer, 3, atMs * MS);
  }

  @Test
  void theCoordinatorsPartIsWhatASyncWouldHaveBrought() {
    assertThat(joined(answer(EmbeddedProtocol.encode(SHARE), 0), 10))
        .isEqualTo(
            new MemberEvent.Joined(
                1, Errors.NONE, 7, M, null, false, new MemberEvent.Joined.Part(SHARE, 0, false)));
  }

  @Test
  void anAnswerThatTookLongerThanAHeartbeatIntervalIsLate() {
    assertThat(joined(answer(EmbeddedProtocol.encode(SHARE), 0), 3_001).part().late()).isTrue();
  }

  @Test
  void anEmptyPartIsAPartAndAnAnswerWithoutTheFieldHasNone() {
    assertThat(joined(answer(EmbeddedProtocol.encode(Assignment.empty()), 0), 1).part())
        .isEqualTo(new MemberEvent.Joined.Part(Assignment.empty(), 0, false));
    assertThat(joined(answer(new byte[0], 0), 1).part()).isNull();
  }

  @Test
  void aPartThatCannotBeReadFailsTheRound() {
    try (LogCapture log = LogCapture.of(GroupMessages.class)) {

      MemberEvent.Joined joined = joined(answer(new byte[] {0}, 0), 1);

      assertThat(joined.error()).isEqualTo(Errors.CORRUPT_MESSAGE);
      assertThat(joined.member()).isEqualTo(M);
      assertThat(joined.part()).isNull();
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("WARN the coordinator's assignment is unreadable");
    }
  }

  @Test
  void whatIsLeftOfADelayIsSaidByJoinsAndHeartbeatsAndRunsOutBetweenThem() {
    joined(answer(EmbeddedProtocol.encode(SHARE), 900), 100);
    assertThat(left(100)).isEqualTo(900);
    assertThat(left(300)).isEqualTo(700);

    beat(heartbeat(GroupError.NONE, 650), 310);
    assertThat(left(310)).isEqualTo(650);
    beat(heartbeat(GroupError.REBALANCE_IN_PROGRESS, 500), 400);
    assertThat(left(500)).isEqualTo(400);
    assertThat(left(901)).isZero();

    beat(heartbeat(GroupError.NONE, 650), 1_000);
    beat(heartbeat(GroupError.NOT_COORDINATOR, 0), 1_100);
    assertThat(left(1_100)).isEqualTo(550);
    beat(heartbeat(GroupError.NONE, 0), 1_200);
    assertThat(left(1_200)).isZero();
  }

  @Test
  void aDelayThatCannotBeReadIsNone() {
    HeartbeatResponseData odd = new HeartbeatResponseData();
    odd.unknownTaggedFields().add(new RawTaggedField(ServedFields.DELAY_TAG, new byte[3]));

    assertThat(beat(odd, 1)).isEqualTo(new MemberEvent.Told(7, Errors.NONE, 3));
    assertThat(left(1)).isZero();
  }

  @Test
  void theFieldsAreTheCoordinators() {
    assertThat(ServedFields.PART_TAG).isEqualTo(GroupAnswers.PART_TAG);
    assertThat(ServedFields.DELAY_TAG).isEqualTo(GroupAnswers.DELAY_TAG);
  }

  private static HeartbeatResponseData heartbeat(GroupError error, int delayMs) {
    return GroupAnswers.heartbeat((short) 4, new Answer.Plain(error, delayMs));
  }

  private long left(long atMs) {
    Duration left = messages.remainingDelay(atMs * MS);
    return left.toMillis();
  }
}
