package io.rebalancer.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.BrokerRegistration;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.zookeeper.server.ServerMetrics;
import org.junit.jupiter.api.Test;

/** What the coordinator costs ZooKeeper, and what it bears of it. */
class ZooKeeperIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final TopicPartition T0 = new TopicPartition("t", 0);

  /** Notifications sent by the server, of all four kinds. */
  private static long serverNotifications() {
    Map<String, Long> sums = new TreeMap<>();
    ServerMetrics.getMetrics()
        .getMetricsProvider()
        .dump(
            (key, value) -> {
              if (key.startsWith("sum_node_") && key.endsWith("_watch_count")) {
                sums.put(key, ((Number) value).longValue());
              }
            });
    return sums.values().stream().mapToLong(Long::longValue).sum();
  }

  private static Map<String, Integer> topics(Stage stage) throws Exception {
    try (WireClient client = new WireClient(stage.node)) {
      MetadataResponseData answer =
          client.ask(ApiKeys.METADATA, 13, new MetadataRequestData().setTopics(null));
      Map<String, Integer> topics = new TreeMap<>();
      answer.topics().forEach(topic -> topics.put(topic.name(), topic.partitions().size()));
      return topics;
    }
  }

  private static void awaitTopics(Stage stage, Map<String, Integer> expected) {
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(topics(stage)).isEqualTo(expected));
  }

  private static void pollUntilAssigned(KafkaConsumer<byte[], byte[]> consumer, int partitions) {
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .until(
            () -> {
              consumer.poll(Duration.ofMillis(20));
              return consumer.assignment().size() == partitions;
            });
  }

  private static int deliveries(Stage stage) {
    return stage.observed(Observation.WatchDelivered.class).size();
  }

  @Test
  void aChangeOfBrokersOrTopicsIsOneEventAndAChangeOfMembersNone() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 2);
      stage.startCoordinator();
      long server = serverNotifications();
      int client = deliveries(stage);

      try (var consumer = stage.consumer("g", "c1", Map.of())) {
        consumer.subscribe(List.of("t"));
        pollUntilAssigned(consumer, 2);
      }
      assertThat(deliveries(stage) - client).as("join and leave").isZero();
      assertThat(serverNotifications() - server).as("join and leave").isZero();

      stage.topic("t", 4);
      awaitTopics(stage, Map.of("t", 4));
      assertThat(deliveries(stage) - client).as("partitions added").isEqualTo(1);
      assertThat(serverNotifications() - server).as("partitions added").isEqualTo(1);

      stage.admin.create().forPath("/brokers/ids");
      stage
          .admin
          .create()
          .forPath("/brokers/ids/7", new BrokerRegistration("h", 1, 1, true).encode());
      await().atMost(DEADLINE).until(() -> deliveries(stage) - client == 3);
      assertThat(serverNotifications() - server).as("the parent and the broker").isEqualTo(3);
      assertThat(stage.observed(Observation.WatchDelivered.class).get(client + 2))
          .extracting(event -> event.session() + " " + event.type() + " " + event.path())
          .isEqualTo("coordinator NodeCreated /brokers/ids/7");
    }
  }

  @Test
  void b033OneWatchIsHeldWhateverTheNumberOfTopicsGroupsAndMembers() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      for (int i = 0; i < 20; i++) {
        stage.topic("t" + i, 3);
      }
      try (var one = stage.consumer("g1", "c1", Map.of());
          var two = stage.consumer("g2", "c2", Map.of())) {
        one.subscribe(List.of("t0", "t1"));
        two.subscribe(List.of("t2"));
        pollUntilAssigned(one, 6);
        pollUntilAssigned(two, 3);

        assertThat(watchCount(stage)).isEqualTo(1);
      }
    }
  }

  private static int watchCount(Stage stage) throws Exception {
    try (var socket = new Socket("127.0.0.1", stage.zookeeper.getPort())) {
      socket.getOutputStream().write("mntr".getBytes(UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      return answer
          .lines()
          .filter(line -> line.startsWith("zk_watch_count"))
          .map(line -> Integer.parseInt(line.split("\\s+")[1]))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void aGenerationCostsOneWriteWhateverTheNumberOfPartitions() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 500);
      stage.startCoordinator();
      int before = writes(stage);
      try (var consumer = stage.consumer("g", "c1", Map.of())) {
        consumer.subscribe(List.of("t"));
        pollUntilAssigned(consumer, 500);
        assertThat(writes(stage) - before).isEqualTo(1);
        consumer.commitSync(Map.of(T0, new OffsetAndMetadata(1)));
        assertThat(writes(stage) - before).isEqualTo(2);
        consumer.commitSync(Map.of(T0, new OffsetAndMetadata(1)));
        assertThat(writes(stage) - before).as("an equal commit").isEqualTo(2);
      }
    }
  }

  private static int writes(Stage stage) {
    return (int)
        stage.observed(Observation.Requested.class).stream()
            .filter(request -> request.kind() == Observation.Requested.Kind.WRITE)
            .count();
  }

  @Test
  void aGroupSurvivesItsCoordinator() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 250);
      stage.startCoordinator();
      String memberBefore;
      try (var consumer = stage.consumer("g", "c1", Map.of())) {
        consumer.subscribe(List.of("t"));
        pollUntilAssigned(consumer, 250);
        consumer.commitSync(
            Map.of(
                T0,
                new OffsetAndMetadata(42, "note"),
                new TopicPartition("t", 249),
                new OffsetAndMetadata(7)));
        memberBefore = consumer.groupMetadata().memberId();
        int port = stage.node.address().getPort();

        stage.node.close();
        stage.node =
            CoordinatorNode.start(
                CoordinatorConfig.of(
                        stage.zookeeper.getConnectString(), new HostPort("127.0.0.1", port))
                    .withZookeeperSessionTimeout(Stage.ZOOKEEPER_SESSION),
                stage.observations::add);

        assertThat(consumer.committed(Set.of(T0)))
            .isEqualTo(Map.of(T0, new OffsetAndMetadata(42, "note")));
        consumer.commitSync(Map.of(T0, new OffsetAndMetadata(43)));
        pollUntilAssigned(consumer, 250);
        assertThat(consumer.groupMetadata().memberId()).isEqualTo(memberBefore);
        assertThat(consumer.groupMetadata().generationId()).isEqualTo(1);
      }
      assertThat(stage.admin.getChildren().forPath("/rebalancer/groups/g/offsets/t"))
          .containsExactlyInAnyOrder("0", "2");
      try (var reader = stage.consumer("g", "c2", Map.of())) {
        assertThat(reader.committed(Set.of(T0, new TopicPartition("t", 249))).values())
            .extracting(OffsetAndMetadata::offset)
            .containsExactlyInAnyOrder(43L, 7L);
        reader.subscribe(List.of("t"));
        pollUntilAssigned(reader, 250);
        assertThat(reader.groupMetadata().generationId())
            .as("3 was the empty group's: one above the generation that might have been in work")
            .isEqualTo(4);
      }
    }
  }

  @Test
  void anOutageOfZookeeperIsSatOut() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 2);
      stage.startCoordinator();
      try (var consumer = stage.consumer("g", "c1", Map.of())) {
        consumer.subscribe(List.of("t"));
        pollUntilAssigned(consumer, 2);

        stage.zookeeper.restart();
        consumer.commitSync(Map.of(T0, new OffsetAndMetadata(5)), DEADLINE);

        assertThat(consumer.committed(Set.of(T0)).get(T0).offset()).isEqualTo(5);
        assertThat(consumer.groupMetadata().generationId()).isEqualTo(1);
      }
      stage.topic("late", 1);
      awaitTopics(stage, Map.of("t", 2, "late", 1));
    }
  }

  @Test
  void aLostSessionIsFollowedByResignationAndANewTakeover() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 2);
      stage.startCoordinator();
      try (var consumer = stage.consumer("g", "c1", Map.of())) {
        consumer.subscribe(List.of("t"));
        pollUntilAssigned(consumer, 2);
        consumer.commitSync(Map.of(T0, new OffsetAndMetadata(5)));

        stage.endCoordinatorSession();

        await()
            .atMost(DEADLINE)
            .untilAsserted(
                () ->
                    assertThat(
                            new String(
                                stage.admin.getData().forPath("/rebalancer/slots/00"), UTF_8))
                        .contains("\"epoch\":2"));
        consumer.commitSync(Map.of(T0, new OffsetAndMetadata(6)), DEADLINE);
        pollUntilAssigned(consumer, 2);
        assertThat(consumer.committed(Set.of(T0)).get(T0).offset()).isEqualTo(6);
      }
      stage.topic("late", 1);
      awaitTopics(stage, Map.of("t", 2, "late", 1));
    }
  }

  @Test
  void topicsComeChangeAndGoAndAnUnreadableOneHarmsItselfOnly() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      assertThat(topics(stage)).isEmpty();

      stage.topic("a", 1);
      stage.topic("b", 2);
      awaitTopics(stage, Map.of("a", 1, "b", 2));
      stage.admin.setData().forPath("/brokers/topics/a", "{nonsense".getBytes(UTF_8));
      stage.admin.create().forPath("/brokers/topics/c", new byte[] {(byte) 0xff});
      stage.topic("b", 3);
      awaitTopics(stage, Map.of("b", 3));
      stage.topic("a", 5);
      awaitTopics(stage, Map.of("a", 5, "b", 3));
      stage.admin.delete().forPath("/brokers/topics/b");
      awaitTopics(stage, Map.of("a", 5));
    }
  }

  /** Members come over the network: topics and brokers are all it watches. */
  @Test
  void b021WhatComesAfterTheWatchedParentWentIsSeen() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      for (int round = 0; round < 5; round++) {
        stage.topic("t" + round, 2);
        awaitTopics(stage, Map.of("t" + round, 2));
        stage.admin.delete().deletingChildrenIfNeeded().forPath("/brokers");
        awaitTopics(stage, Map.of());
      }
    }
  }
}
