package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rebalancer.core.observe.Observation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The failure cases about groups that need ZooKeeper or the wire (docs/cases.md). */
class CoordinatorCasesIT {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String STATE = "/rebalancer/groups/g";

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger coordinator = (Logger) LoggerFactory.getLogger("io.rebalancer.coordinator");

  @BeforeEach
  void listen() {
    log.start();
    coordinator.addAppender(log);
  }

  @AfterEach
  void listenNoMore() {
    coordinator.detachAppender(log);
  }

  private List<String> logged(Level level) {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getLevel().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static JoinGroupRequestData join(String memberId, List<String> topics) {
    JoinGroupRequestData join =
        new JoinGroupRequestData()
            .setGroupId("g")
            .setMemberId(memberId)
            .setSessionTimeoutMs(30_000)
            .setRebalanceTimeoutMs(30_000)
            .setProtocolType("consumer");
    join.protocols()
        .add(
            new JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(
                    Utils.toArray(
                        ConsumerProtocol.serializeSubscription(
                            new ConsumerPartitionAssignor.Subscription(topics)))));
    return join;
  }

  private static SyncGroupRequestData sync(String memberId, int generation, String instance) {
    return new SyncGroupRequestData()
        .setGroupId("g")
        .setMemberId(memberId)
        .setGroupInstanceId(instance.isEmpty() ? null : instance)
        .setGenerationId(generation)
        .setProtocolType("consumer")
        .setProtocolName("range");
  }

  private static SyncGroupRequestAssignment part(String memberId, byte[] part) {
    return new SyncGroupRequestAssignment().setMemberId(memberId).setAssignment(part);
  }

  private static Errors heartbeat(
      WireClient client, String memberId, String instance, int generation) throws Exception {
    HeartbeatResponseData answer =
        client.ask(
            ApiKeys.HEARTBEAT,
            4,
            new HeartbeatRequestData()
                .setGroupId("g")
                .setMemberId(memberId)
                .setGroupInstanceId(instance.isEmpty() ? null : instance)
                .setGenerationId(generation));
    return Errors.forCode(answer.errorCode());
  }

  private static List<Integer> generations(Stage stage) {
    return stage.observed(Observation.PhaseChanged.class).stream()
        .filter(move -> move.to().equals("CompletingRebalance"))
        .map(Observation.PhaseChanged::generation)
        .toList();
  }

  @Test
  void b041AReplacedStaticMemberIsKnownToTheNextCoordinatorAndItsFormerSelfFenced()
      throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      String former;
      String present;
      byte[] part = {0, 1, 2, 3};
      try (WireClient client = new WireClient(stage.node)) {
        JoinGroupRequestData asStatic = join("", List.of("t")).setGroupInstanceId("i1");
        JoinGroupResponseData first = client.ask(ApiKeys.JOIN_GROUP, 9, asStatic);
        former = first.memberId();
        client.ask(
            ApiKeys.SYNC_GROUP,
            5,
            sync(former, 1, "i1").setAssignments(List.of(part(former, part))));
        JoinGroupResponseData again = client.ask(ApiKeys.JOIN_GROUP, 9, asStatic);
        present = again.memberId();
        assertThat(again.generationId()).isEqualTo(1);
        assertThat(present).isNotEqualTo(former);
      }

      stage.node.close();
      stage.startCoordinator();

      try (WireClient client = new WireClient(stage.node)) {
        assertThat(heartbeat(client, present, "i1", 1)).isEqualTo(Errors.NONE);
        assertThat(heartbeat(client, former, "i1", 1)).isEqualTo(Errors.FENCED_INSTANCE_ID);
        SyncGroupResponseData kept = client.ask(ApiKeys.SYNC_GROUP, 5, sync(present, 1, "i1"));
        assertThat(kept.assignment()).isEqualTo(part);
      }
      assertThat(generations(stage)).containsExactly(1);
    }
  }

  @Test
  void b046ARebalanceTimeoutThatIsNoneIsRefusedAndTheLogNamesFieldAndValue() throws Exception {
    try (Stage stage = Stage.withCoordinator();
        WireClient client = new WireClient(stage.node)) {
      for (int value : List.of(0, -2)) {
        JoinGroupResponseData refused =
            client.ask(ApiKeys.JOIN_GROUP, 9, join("", List.of("t")).setRebalanceTimeoutMs(value));
        assertThat(Errors.forCode(refused.errorCode())).isEqualTo(Errors.INVALID_REQUEST);
      }

      assertThat(logged(Level.WARN))
          .containsExactly(
              "group g: JoinGroup of client wire at /127.0.0.1 refused: rebalanceTimeoutMs 0"
                  + " (expected: > 0, or -1 for the session timeout)",
              "group g: JoinGroup of client wire at /127.0.0.1 refused: rebalanceTimeoutMs -2"
                  + " (expected: > 0, or -1 for the session timeout)");
      assertThat(stage.observed(Observation.PhaseChanged.class)).isEmpty();
    }
  }

  private static List<String> twentyTopics(int member) {
    List<String> topics = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      topics.add(
          "region-west-1.orders.customer-events.by-account.v12.%08d".formatted(20 * member + i));
    }
    return topics;
  }

  private static byte[] whole(List<String> topics) {
    return Utils.toArray(
        ConsumerProtocol.serializeAssignment(
            new ConsumerPartitionAssignor.Assignment(
                topics.stream().map(topic -> new TopicPartition(topic, 0)).toList())));
  }

  @Test
  void b056AThousandMembersWithTwentyLongTopicsEachAreStoredAndReadBack() throws Exception {
    int members = 1_000;
    assertThat(twentyTopics(999)).allMatch(topic -> topic.length() == 60);
    List<WireClient> clients = new ArrayList<>();
    try (Stage stage = Stage.withCoordinator()) {
      List<String> ids = new ArrayList<>();
      String leader = "";
      long plain = 0;
      for (int i = 0; i < members; i++) {
        WireClient client = new WireClient(stage.node);
        clients.add(client);
        client.send(ApiKeys.JOIN_GROUP, 3, join("", twentyTopics(i)));
      }
      for (WireClient client : clients) {
        JoinGroupResponseData joined = client.answer(ApiKeys.JOIN_GROUP, 3);
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(joined.generationId()).isEqualTo(1);
        ids.add(joined.memberId());
        leader = joined.leader();
      }
      List<SyncGroupRequestAssignment> plan = new ArrayList<>();
      for (int i = 0; i < members; i++) {
        byte[] part = whole(twentyTopics(i));
        plain += part.length;
        plan.add(part(ids.get(i), part));
      }
      assertThat(plain).as("the plan alone").isGreaterThan(1_000_000);
      for (int i = 0; i < members; i++) {
        SyncGroupRequestData sync = sync(ids.get(i), 1, "");
        clients
            .get(i)
            .send(
                ApiKeys.SYNC_GROUP,
                3,
                ids.get(i).equals(leader) ? sync.setAssignments(plan) : sync);
      }
      for (int i = 0; i < members; i++) {
        SyncGroupResponseData synced = clients.get(i).answer(ApiKeys.SYNC_GROUP, 3);
        assertThat(Errors.forCode(synced.errorCode())).isEqualTo(Errors.NONE);
        assertThat(synced.assignment()).isEqualTo(plan.get(i).assignment());
      }
      assertThat(generations(stage)).containsExactly(1);
      byte[] stored = stage.admin.getData().forPath(STATE);
      assertThat(stored).startsWith(0x1f, 0x8b).hasSizeLessThan(1_000_000);

      stage.node.close();
      stage.startCoordinator();

      try (WireClient again = new WireClient(stage.node)) {
        assertThat(heartbeat(again, ids.get(999), "", 1)).isEqualTo(Errors.NONE);
        SyncGroupResponseData synced = again.ask(ApiKeys.SYNC_GROUP, 3, sync(ids.get(999), 1, ""));
        assertThat(synced.assignment()).isEqualTo(plan.get(999).assignment());
      }
      assertThat(generations(stage)).containsExactly(1);
    } finally {
      for (WireClient client : clients) {
        client.close();
      }
    }
  }

  @Test
  void b056WhatNoZnodeHoldsIsRefusedWithItsSizeAndTheLimitAndNotTriedAgain() throws Exception {
    byte[] noise = new byte[2_000_000];
    new Random(56).nextBytes(noise);
    try (Stage stage = Stage.withCoordinator();
        WireClient client = new WireClient(stage.node)) {
      JoinGroupResponseData joined = client.ask(ApiKeys.JOIN_GROUP, 3, join("", List.of("t")));
      String id = joined.memberId();

      SyncGroupResponseData refused =
          client.ask(
              ApiKeys.SYNC_GROUP, 3, sync(id, 1, "").setAssignments(List.of(part(id, noise))));

      assertThat(Errors.forCode(refused.errorCode())).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);
      for (int attempt = 0; attempt < 20; attempt++) {
        JoinGroupResponseData again = client.ask(ApiKeys.JOIN_GROUP, 3, join(id, List.of("t")));
        assertThat(Errors.forCode(again.errorCode())).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);
      }
      assertThat(generations(stage)).containsExactly(1);
      assertThat(logged(Level.ERROR))
          .singleElement()
          .asString()
          .matches("group g: .* too large .*: " + STATE + ": 2\\d{6} bytes .expected: <= 1000000.");

      JoinGroupResponseData other = client.ask(ApiKeys.JOIN_GROUP, 3, join(id, List.of("u")));
      assertThat(Errors.forCode(other.errorCode())).isEqualTo(Errors.NONE);
      assertThat(other.generationId()).isEqualTo(2);
    }
  }

  private static TreeSet<String> describedMembers(Stage stage) throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      DescribeGroupsResponseData answer =
          client.ask(
              ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData().setGroups(List.of("g")));
      TreeSet<String> members = new TreeSet<>();
      answer.groups().get(0).members().forEach(member -> members.add(member.clientId()));
      return members;
    }
  }

  private static void awaitPolling(
      List<KafkaConsumer<byte[], byte[]>> consumers, BooleanSupplier condition) {
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .until(
            () -> {
              consumers.forEach(consumer -> consumer.poll(Duration.ofMillis(20)));
              return condition.getAsBoolean();
            });
  }

  private static List<Integer> shares(List<KafkaConsumer<byte[], byte[]>> consumers) {
    return consumers.stream().map(each -> each.assignment().size()).sorted().toList();
  }

  @Test
  void b059TheShareOfAMemberThatIsKilledIsGivenAwayAndItIsShownNoMore() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 9);
      stage.node =
          CoordinatorNode.start(
              stage
                  .config()
                  .withZookeeperSessionTimeout(Duration.ofSeconds(1))
                  .withGroupMinSessionTimeout(Duration.ofSeconds(2))
                  .withGroupAssignment(
                      GroupAssignmentConfig.server("uniform", Duration.ofSeconds(1))),
              stage.observations::add);
      Map<String, Object> settings = Map.of(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 2_000);
      List<KafkaConsumer<byte[], byte[]>> live = new ArrayList<>();
      for (String name : List.of("c1", "c2", "c3")) {
        KafkaConsumer<byte[], byte[]> consumer = stage.consumer("g", name, settings);
        consumer.subscribe(List.of("t"));
        live.add(consumer);
      }
      try {
        awaitPolling(live, () -> shares(live).equals(List.of(3, 3, 3)));

        live.remove(2)
            .close(
                CloseOptions.groupMembershipOperation(
                    CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));
        assertThat(describedMembers(stage)).containsExactly("c1", "c2", "c3");
        awaitPolling(live, () -> shares(live).equals(List.of(4, 5)));
        assertThat(describedMembers(stage)).containsExactly("c1", "c2");

        KafkaConsumer<byte[], byte[]> restarted = stage.consumer("g", "c4", settings);
        restarted.subscribe(List.of("t"));
        live.add(restarted);
        awaitPolling(live, () -> shares(live).equals(List.of(3, 3, 3)));
        assertThat(describedMembers(stage)).containsExactly("c1", "c2", "c4");
      } finally {
        live.forEach(KafkaConsumer::close);
      }
      assertThat(stage.observed(Observation.PhaseChanged.class))
          .extracting(Observation.PhaseChanged::reason)
          .containsOnlyOnce("MEMBER_EXPIRED")
          .containsOnlyOnce("DELAY_OVER");
    }
  }
}
