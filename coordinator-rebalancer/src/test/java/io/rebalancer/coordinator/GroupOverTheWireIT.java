package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.observe.Observation;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

/** A member that names itself as our client does, request by request. */
class GroupOverTheWireIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private static final String REGISTRATIONS = "/rebalancer/coordinators";
  private static final String REGISTRATION = REGISTRATIONS + "/1000000000";

  private final String group = "g";
  private String memberId = "";
  private int generation;
  private ConsumerPartitionAssignor.Assignment given =
      new ConsumerPartitionAssignor.Assignment(List.of());
  private int sessionTimeoutMs = 10_000;

  /** Joins, leads, and gives itself what {@link #given} says. */
  private void joinAndSync(WireClient client) throws Exception {
    JoinGroupRequestData join =
        new JoinGroupRequestData()
            .setGroupId(group)
            .setMemberId(memberId)
            .setSessionTimeoutMs(sessionTimeoutMs)
            .setRebalanceTimeoutMs(10_000)
            .setProtocolType("consumer");
    join.protocols()
        .add(
            new JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(
                    Utils.toArray(
                        ConsumerProtocol.serializeSubscription(
                            new ConsumerPartitionAssignor.Subscription(List.of("t"))))));
    JoinGroupResponseData joined = client.ask(ApiKeys.JOIN_GROUP, 9, join);
    if (joined.errorCode() == Errors.MEMBER_ID_REQUIRED.code()) {
      memberId = joined.memberId();
      joined = client.ask(ApiKeys.JOIN_GROUP, 9, join.setMemberId(memberId));
    }
    assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
    generation = joined.generationId();
    SyncGroupResponseData synced =
        client.ask(
            ApiKeys.SYNC_GROUP,
            5,
            new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationId(generation)
                .setProtocolType("consumer")
                .setProtocolName("range")
                .setAssignments(
                    List.of(
                        new SyncGroupRequestAssignment()
                            .setMemberId(memberId)
                            .setAssignment(
                                Utils.toArray(ConsumerProtocol.serializeAssignment(given))))));
    assertThat(Errors.forCode(synced.errorCode())).isEqualTo(Errors.NONE);
  }

  private Errors heartbeat(WireClient client) throws Exception {
    HeartbeatResponseData answer =
        client.ask(
            ApiKeys.HEARTBEAT,
            4,
            new HeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationId(generation));
    return Errors.forCode(answer.errorCode());
  }

  private Errors commit(WireClient client, String topic, String metadata) throws Exception {
    OffsetCommitResponseData answer =
        client.ask(
            ApiKeys.OFFSET_COMMIT,
            9,
            new OffsetCommitRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationIdOrMemberEpoch(generation)
                .setTopics(
                    List.of(
                        new OffsetCommitRequestTopic()
                            .setName(topic)
                            .setPartitions(
                                List.of(
                                    new OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(1)
                                        .setCommittedMetadata(metadata))))));
    return Errors.forCode(answer.topics().get(0).partitions().get(0).errorCode());
  }

  private static void nameItself(WireClient client) throws Exception {
    client.ask(
        ApiKeys.API_VERSIONS,
        4,
        new ApiVersionsRequestData()
            .setClientSoftwareName("rebalancer")
            .setClientSoftwareVersion("0.1"));
  }

  @Test
  void e20_membersLearnOfChangedTopicsAtTheirNextHeartbeatAndOfBrokersNothing() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 2);
      stage.admin.create().forPath("/brokers/ids");
      stage.startCoordinator();
      try (WireClient client = new WireClient(stage.node)) {
        nameItself(client);
        joinAndSync(client);
        assertThat(heartbeat(client)).isEqualTo(Errors.NONE);

        stage.admin.create().forPath("/brokers/ids/1");
        stage.topic("unrelated", 1);
        await()
            .atMost(DEADLINE)
            .until(() -> stage.observed(Observation.WatchDelivered.class).size() == 2);
        assertThat(heartbeat(client)).isEqualTo(Errors.NONE);

        stage.topic("t", 3);
        await().atMost(DEADLINE).until(() -> heartbeat(client) == Errors.REBALANCE_IN_PROGRESS);
        joinAndSync(client);
        assertThat(generation).isEqualTo(2);
        assertThat(heartbeat(client)).isEqualTo(Errors.NONE);
      }
      assertThat(stage.observed(Observation.PhaseChanged.class))
          .extracting(Observation.PhaseChanged::reason)
          .containsOnlyOnce("TOPIC_CHANGE");
    }
  }

  @Test
  void partitionsAddedWhileNoCoordinatorRanStartARoundWhenOneDoes() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 2);
      stage.startCoordinator();
      given =
          new ConsumerPartitionAssignor.Assignment(
              List.of(new TopicPartition("t", 0), new TopicPartition("t", 1)));
      try (WireClient client = new WireClient(stage.node)) {
        nameItself(client);
        joinAndSync(client);
      }
      stage.node.close();
      stage.startCoordinator();
      try (WireClient client = new WireClient(stage.node)) {
        assertThat(heartbeat(client)).as("nothing changed").isEqualTo(Errors.NONE);
      }

      stage.node.close();
      stage.topic("t", 3);
      stage.startCoordinator();

      try (WireClient client = new WireClient(stage.node)) {
        assertThat(heartbeat(client)).isEqualTo(Errors.REBALANCE_IN_PROGRESS);
      }
    }
  }

  @Test
  void aCommitIsRefusedPartByPart() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      stage.startCoordinator();
      try (WireClient client = new WireClient(stage.node)) {
        joinAndSync(client);

        assertThat(commit(client, "t", "")).isEqualTo(Errors.NONE);
        assertThat(commit(client, "absent", "")).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(commit(client, "t", "x".repeat(4_097)))
            .isEqualTo(Errors.OFFSET_METADATA_TOO_LARGE);
        generation++;
        assertThat(commit(client, "t", "")).isEqualTo(Errors.ILLEGAL_GENERATION);
      }
    }
  }

  /** What a successor does, seen from the one it displaces. */
  @Test
  void aWriteAfterTheSlotWasTakenByAnotherIsRefusedAndNothingIsWritten() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      stage.startCoordinator();
      try (WireClient client = new WireClient(stage.node)) {
        joinAndSync(client);
        assertThat(commit(client, "t", "before")).isEqualTo(Errors.NONE);
        String path = "/rebalancer/groups/g/offsets/t/0";
        byte[] before = stage.admin.getData().forPath(path);

        stage.admin.setData().forPath("/rebalancer/slots/03", new byte[0]);
        assertThat(commit(client, "t", "after")).isEqualTo(Errors.NOT_COORDINATOR);

        assertThat(stage.admin.getData().forPath(path)).isEqualTo(before);
        await()
            .atMost(DEADLINE)
            .untilAsserted(() -> assertThat(commit(client, "t", "again")).isEqualTo(Errors.NONE));
        assertThat(heartbeat(client)).as("the group was read back").isEqualTo(Errors.NONE);
      }
    }
  }

  /** Its session goes on, and nobody is told: the next renewal of its lease finds out. */
  @Test
  void b030WhoseRegistrationIsRemovedResignsAndAnotherServesAlone() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      stage.startCoordinator();
      try (WireClient first = new WireClient(stage.node)) {
        joinAndSync(first);

        stage.admin.delete().forPath(REGISTRATION);
        try (CoordinatorNode other =
                CoordinatorNode.start(stage.config(), stage.observations::add);
            WireClient second = new WireClient(other)) {
          await()
              .atMost(DEADLINE)
              .untilAsserted(() -> assertThat(heartbeat(first)).isEqualTo(Errors.NOT_COORDINATOR));
          assertThat(commit(first, "t", "")).isEqualTo(Errors.NOT_COORDINATOR);
          assertThat(commit(second, "t", "")).isEqualTo(Errors.NONE);
          assertThat(stage.admin.getChildren().forPath(REGISTRATIONS)).hasSize(1);
        }

        await()
            .atMost(DEADLINE)
            .untilAsserted(() -> assertThat(commit(first, "t", "")).isEqualTo(Errors.NONE));
      }
    }
  }

  @Test
  void b030TheParentOfRegistrationsIsMadeAgain() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      stage.startCoordinator();
      try (WireClient client = new WireClient(stage.node)) {
        joinAndSync(client);

        stage.admin.delete().deletingChildrenIfNeeded().forPath(REGISTRATIONS);
        await()
            .atMost(DEADLINE)
            .until(() -> stage.admin.checkExists().forPath(REGISTRATION) != null);

        await()
            .atMost(DEADLINE)
            .untilAsserted(() -> assertThat(commit(client, "t", "")).isEqualTo(Errors.NONE));
      }
    }
  }

  /** Its new session meets the registration of the old one, and does not take it for its own. */
  @Test
  void b029AfterAnOutageLongerThanItsSessionItServesOnceTheOldRegistrationIsGone()
      throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      stage.node =
          CoordinatorNode.start(
              stage
                  .config()
                  .withZookeeperSessionTimeout(Duration.ofSeconds(1))
                  .withGroupMinSessionTimeout(Duration.ofSeconds(2)),
              stage.observations::add);
      try (WireClient client = new WireClient(stage.node)) {
        joinAndSync(client);
        long former = stage.admin.checkExists().forPath(REGISTRATION).getEphemeralOwner();

        stage.zookeeper.stop();
        await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
        stage.zookeeper.restart();
        await()
            .atMost(DEADLINE)
            .untilAsserted(() -> assertThat(commit(client, "t", "")).isEqualTo(Errors.NONE));

        assertThat(stage.admin.getChildren().forPath(REGISTRATIONS)).hasSize(1);
        int epoch = stage.admin.checkExists().forPath("/rebalancer/slots/03").getVersion();
        boolean sameSession =
            stage.admin.checkExists().forPath(REGISTRATION).getEphemeralOwner() == former;
        if (sameSession) {
          assertThat(epoch).isEqualTo(1);
        } else {
          assertThat(epoch).isGreaterThanOrEqualTo(2); // A busy machine may end the next one too.
        }
        assertThat(heartbeat(client)).isEqualTo(Errors.NONE);
      }
    }
  }

  @Test
  void e21_aMemberThatFallsSilentIsRemoved() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      stage.node =
          CoordinatorNode.start(
              stage
                  .config()
                  .withZookeeperSessionTimeout(Duration.ofMillis(600))
                  .withGroupMinSessionTimeout(Duration.ofMillis(1_000)),
              stage.observations::add);
      sessionTimeoutMs = 1_000;
      try (WireClient client = new WireClient(stage.node)) {
        joinAndSync(client);
      }
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () ->
                  assertThat(stage.observed(Observation.PhaseChanged.class))
                      .extracting(move -> move.to() + " " + move.reason())
                      .endsWith("PreparingRebalance MEMBER_EXPIRED", "Empty NO_MEMBERS"));
    }
  }
}
