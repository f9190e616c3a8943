package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.wire.Messages;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code connections.max.idle.ms}. */
class IdleConnectionIT {

  private static final Duration IDLE = Duration.ofMillis(1_000);

  private static Stage stage;

  @BeforeAll
  static void start() throws Exception {
    stage = new Stage();
    stage.topic("t", 1);
    stage.node =
        CoordinatorNode.start(stage.config().withConnectionsMaxIdle(IDLE), stage.observations::add);
    // No later connection shall be idle while classes are loaded.
    await()
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              try (WireClient first = new WireClient(stage.node)) {
                pass(first, Duration.ZERO);
              }
            });
  }

  @AfterAll
  static void stop() throws Exception {
    stage.close();
  }

  private static ByteBuffer heartbeat() {
    return Messages.writeRequest(
        new RequestHeader(ApiKeys.HEARTBEAT, (short) 4, "wire", 7),
        new HeartbeatRequestData().setGroupId("nobody").setMemberId("m"));
  }

  /** Its answer comes when the time is over. */
  private static FetchRequestData held(Duration time) {
    return new FetchRequestData()
        .setMaxWaitMs((int) time.toMillis())
        .setMinBytes(1)
        .setTopics(
            List.of(
                new FetchTopic()
                    .setTopic("t")
                    .setPartitions(List.of(new FetchPartition().setPartition(0)))));
  }

  @Test
  void aConnectionThatNeverAskedAnythingIsClosed() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void aConnectionIsNotClosedWhileAnAnswerIsAwaitedAndIsWhenItHasCome() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      FetchResponseData answer =
          client.ask(ApiKeys.FETCH, 4, held(IDLE.multipliedBy(5).dividedBy(2)));

      assertThat(answer.responses().get(0).partitions().get(0).errorCode()).isZero();
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void aFrameThatNeverEndsIsEnded() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      client.ask(ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData());
      client.raw(ByteBuffer.allocate(6).putInt(100).putShort((short) 12).array());

      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void whoSendsAByteAtATimeIsServedHoweverLongItTakes() throws Exception {
    try (WireClient slow = new WireClient(stage.node);
        WireClient clock = new WireClient(stage.node)) {
      ByteBuffer frame = heartbeat();
      slow.raw(ByteBuffer.allocate(4).putInt(frame.remaining()).array());
      Duration between = IDLE.multipliedBy(2).dividedBy(frame.remaining());
      while (frame.hasRemaining()) {
        slow.raw(new byte[] {frame.get()});
        pass(clock, between);
      }

      HeartbeatResponseData answer =
          (HeartbeatResponseData)
              Messages.readResponse(ApiKeys.HEARTBEAT, (short) 4, slow.receive());
      assertThat(answer.errorCode()).isEqualTo((short) 25);
    }
  }

  private static void pass(WireClient clock, Duration time) throws Exception {
    FetchResponseData answer = clock.ask(ApiKeys.FETCH, 4, held(time));
    assertThat(answer.responses().get(0).partitions().get(0).errorCode()).isZero();
  }
}
