package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.wire.Messages;
import io.rebalancer.coordinator.wire.SupportedApis;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames over a plain socket. */
class WireIT {

  private static Stage stage;

  @BeforeAll
  static void start() throws Exception {
    stage = Stage.withCoordinator();
    stage.topic("t", 3);
    await().until(() -> metadata("t").errorCode() == Errors.NONE.code());
  }

  @AfterAll
  static void stop() throws Exception {
    stage.close();
  }

  private static MetadataResponseData.MetadataResponseTopic metadata(String topic)
      throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      MetadataResponseData answer =
          client.ask(
              ApiKeys.METADATA,
              13,
              new MetadataRequestData()
                  .setTopics(List.of(new MetadataRequestTopic().setName(topic))));
      return answer.topics().iterator().next();
    }
  }

  private static HeartbeatResponseData heartbeat(WireClient client) throws Exception {
    return client.ask(
        ApiKeys.HEARTBEAT,
        4,
        new HeartbeatRequestData().setGroupId("nobody").setMemberId("m").setGenerationId(1));
  }

  @Test
  void exactlyTheNeededApisAreOffered() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      ApiVersionsResponseData answer =
          client.ask(
              ApiKeys.API_VERSIONS,
              4,
              new ApiVersionsRequestData()
                  .setClientSoftwareName("test")
                  .setClientSoftwareVersion("1"));

      Map<ApiKeys, String> offered = new HashMap<>();
      answer
          .apiKeys()
          .forEach(
              a -> offered.put(ApiKeys.forId(a.apiKey()), a.minVersion() + "-" + a.maxVersion()));
      assertThat(offered)
          .containsOnly(
              Map.entry(ApiKeys.API_VERSIONS, "0-4"),
              Map.entry(ApiKeys.METADATA, "0-13"),
              Map.entry(ApiKeys.FIND_COORDINATOR, "0-6"),
              Map.entry(ApiKeys.JOIN_GROUP, "0-9"),
              Map.entry(ApiKeys.SYNC_GROUP, "0-5"),
              Map.entry(ApiKeys.HEARTBEAT, "0-4"),
              Map.entry(ApiKeys.LEAVE_GROUP, "0-5"),
              Map.entry(ApiKeys.OFFSET_FETCH, "1-10"),
              Map.entry(ApiKeys.OFFSET_COMMIT, "2-10"),
              Map.entry(ApiKeys.LIST_GROUPS, "0-5"),
              Map.entry(ApiKeys.DESCRIBE_GROUPS, "0-6"),
              Map.entry(ApiKeys.CONSUMER_GROUP_DESCRIBE, "0-1"),
              Map.entry(ApiKeys.DELETE_GROUPS, "0-3"),
              Map.entry(ApiKeys.OFFSET_DELETE, "0-0"),
              Map.entry(ApiKeys.DESCRIBE_CLUSTER, "0-2"),
              Map.entry(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, "0-0"),
              Map.entry(ApiKeys.LIST_OFFSETS, "1-11"),
              Map.entry(ApiKeys.FETCH, "4-18"));
      SupportedApis.all()
          .forEach(
              (key, range) -> {
                assertThat(key.isVersionSupported(range.min())).as("%s", key).isTrue();
                assertThat(key.isVersionSupported(range.max())).as("%s", key).isTrue();
              });
    }
  }

  @Test
  void anApiVersionsRequestTooNewIsAnsweredInVersion0() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      ByteBuffer frame = ByteBuffer.allocate(64);
      frame.putShort(ApiKeys.API_VERSIONS.id).putShort((short) 99).putInt(7).putShort((short) -1);
      frame.put((byte) 0).put((byte) 12).putLong(1).flip();
      client.frame(frame);

      ByteBuffer answer = client.receive();

      assertThat(Messages.correlationId(answer)).isEqualTo(7);
      ApiVersionsResponseData data =
          (ApiVersionsResponseData) Messages.readResponse(ApiKeys.API_VERSIONS, (short) 0, answer);
      assertThat(data.errorCode()).isEqualTo(Errors.UNSUPPORTED_VERSION.code());
      assertThat(data.apiKeys().find(ApiKeys.API_VERSIONS.id).maxVersion()).isEqualTo((short) 4);
      assertThat(heartbeat(client).errorCode()).isEqualTo((short) 25);
    }
  }

  @Test
  void everyOfferedVersionOfEveryApiIsAnswered() throws Exception {
    for (var entry : SupportedApis.all().entrySet()) {
      for (int version = entry.getValue().min(); version <= entry.getValue().max(); version++) {
        try (WireClient client = new WireClient(stage.node)) {
          var body = entry.getKey().messageType.newRequest();
          assertThat((Object) client.ask(entry.getKey(), version, body))
              .as("%s v%d", entry.getKey(), version)
              .isNotNull();
        }
      }
    }
  }

  @Test
  void e70_answersLeaveInTheOrderOfTheirRequests() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      Uuid id = metadata("t").topicId();
      FetchRequestData fetch =
          new FetchRequestData()
              .setMaxWaitMs(300)
              .setMinBytes(1)
              .setTopics(
                  List.of(
                      new FetchTopic()
                          .setTopicId(id)
                          .setPartitions(
                              List.of(new FetchPartition().setPartition(0).setFetchOffset(42)))));
      int slow = client.send(ApiKeys.FETCH, 18, fetch);
      int quick = client.send(ApiKeys.LIST_OFFSETS, 11, new ListOffsetsRequestData());
      int quicker = client.send(ApiKeys.METADATA, 13, new MetadataRequestData());

      ByteBuffer first = client.receive();

      assertThat(Messages.correlationId(first)).isEqualTo(slow);
      FetchResponseData data =
          (FetchResponseData) Messages.readResponse(ApiKeys.FETCH, (short) 18, first);
      var partition = data.responses().get(0).partitions().get(0);
      assertThat(partition.errorCode()).isEqualTo((short) 0);
      assertThat(partition.highWatermark()).isEqualTo(42);
      assertThat(Messages.correlationId(client.receive())).isEqualTo(quick);
      assertThat(Messages.correlationId(client.receive())).isEqualTo(quicker);
    }
  }

  @Test
  void metadataNamesOnlyThisCoordinatorAndNeverMakesATopic() throws Exception {
    var topic = metadata("t");
    var absent = metadata("absent");

    assertThat(topic.partitions())
        .extracting(p -> p.leaderId())
        .containsExactly(1_000_000_000, 1_000_000_000, 1_000_000_000);
    assertThat(topic.topicId()).isNotEqualTo(Uuid.ZERO_UUID).isEqualTo(metadata("t").topicId());
    assertThat(absent.errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    assertThat(stage.admin.checkExists().forPath("/brokers/topics/absent")).isNull();
  }

  @Test
  void onlyGroupsHaveACoordinator() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      FindCoordinatorResponseData groups =
          client.ask(
              ApiKeys.FIND_COORDINATOR,
              6,
              new FindCoordinatorRequestData().setCoordinatorKeys(List.of("g", "h")));
      FindCoordinatorResponseData transactions =
          client.ask(
              ApiKeys.FIND_COORDINATOR,
              6,
              new FindCoordinatorRequestData()
                  .setKeyType((byte) 1)
                  .setCoordinatorKeys(List.of("x")));

      assertThat(groups.coordinators())
          .extracting(c -> c.key() + " " + c.errorCode() + " " + c.port())
          .containsExactly(
              "g 0 " + stage.node.address().getPort(), "h 0 " + stage.node.address().getPort());
      assertThat(transactions.coordinators().get(0).errorCode())
          .isEqualTo(Errors.INVALID_REQUEST.code());
    }
  }

  @Test
  void oldVersionsJoinWithoutAnIdAndFetchOffsetsOfOneGroup() throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      JoinGroupRequestData join =
          new JoinGroupRequestData()
              .setGroupId("old")
              .setSessionTimeoutMs(6_000)
              .setProtocolType("consumer");
      join.protocols()
          .add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[0]));

      JoinGroupResponseData joined = client.ask(ApiKeys.JOIN_GROUP, 0, join);
      OffsetFetchResponseData offsets =
          client.ask(
              ApiKeys.OFFSET_FETCH,
              7,
              new OffsetFetchRequestData().setGroupId("old").setTopics(null));

      assertThat(joined.errorCode()).isEqualTo((short) 0);
      assertThat(joined.generationId()).isEqualTo(1);
      assertThat(joined.memberId()).startsWith("wire-").isEqualTo(joined.leader());
      assertThat(offsets.errorCode()).isEqualTo((short) 0);
      assertThat(offsets.topics()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a/b", "sp ace"})
  void aGroupIdThatNoPathCanHoldIsRefusedByName(String group) throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      HeartbeatResponseData answer =
          client.ask(
              ApiKeys.HEARTBEAT, 4, new HeartbeatRequestData().setGroupId(group).setMemberId("m"));

      assertThat(answer.errorCode()).isEqualTo(Errors.INVALID_GROUP_ID.code());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 104_857_601})
  void aLengthThatCannotBeClosesTheConnectionAndDisturbsNobody(int length) throws Exception {
    try (WireClient other = new WireClient(stage.node);
        WireClient client = new WireClient(stage.node)) {
      client.raw(ByteBuffer.allocate(8).putInt(length).putInt(0).array());

      assertThat(client.isClosedByServer()).isTrue();
      assertThat(heartbeat(other).errorCode()).isEqualTo((short) 25);
    }
  }

  @Test
  void garbageClosesTheConnectionAndDisturbsNobody() throws Exception {
    Random random = new Random(1);
    try (WireClient other = new WireClient(stage.node)) {
      for (int i = 0; i < 50; i++) {
        byte[] garbage = new byte[1 + random.nextInt(200)];
        random.nextBytes(garbage);
        garbage[0] = 0x7f; // Neither a key we offer nor one that Kafka has.
        try (WireClient client = new WireClient(stage.node)) {
          client.frame(ByteBuffer.wrap(garbage));
          assertThat(client.isClosedByServer()).as("garbage %d", i).isTrue();
        }
      }
      assertThat(heartbeat(other).errorCode()).isEqualTo((short) 25);
    }
  }

  @Test
  void requestsThatAreNotOfferedOrEndEarlyOrGoOnTooLongCloseTheConnection() throws Exception {
    ByteBuffer whole =
        Messages.writeRequest(
            new RequestHeader(ApiKeys.HEARTBEAT, (short) 4, "wire", 1),
            new HeartbeatRequestData().setGroupId("g").setMemberId("m"));
    ByteBuffer cut = whole.duplicate().limit(whole.limit() - 3);
    ByteBuffer tooLong = ByteBuffer.allocate(whole.limit() + 5).put(whole.duplicate()).rewind();
    for (ByteBuffer bad : List.of(cut, tooLong)) {
      try (WireClient client = new WireClient(stage.node)) {
        client.frame(bad);
        assertThat(client.isClosedByServer()).isTrue();
      }
    }
    try (WireClient client = new WireClient(stage.node)) {
      client.send(ApiKeys.PRODUCE, 9, new ProduceRequestData().setAcks((short) 1));
      assertThat(client.isClosedByServer()).isTrue();
    }
  }
}
