package io.rebalancer.it.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Kafka's own kafka-consumer-groups manages groups of the coordinator. */
class ConsumerGroupsToolIT {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);

  private static EmbeddedZooKeeper zooKeeper;
  private static CoordinatorNode node;
  private static ConsumerGroupsTool tool;

  @BeforeAll
  static void start() throws Exception {
    zooKeeper = EmbeddedZooKeeper.start();
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(ConnectString.parse(zooKeeper.connectString()))) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      cluster.ensureBrokers(1);
      cluster.createTopic("t", 2);
    }
    node =
        CoordinatorNode.start(
            CoordinatorConfig.of(zooKeeper.connectString(), new HostPort("127.0.0.1", 0))
                .withGroupInitialRebalanceDelay(Duration.ZERO),
            observation -> {});
    tool = new ConsumerGroupsTool(bootstrap());
  }

  @AfterAll
  static void stop() throws Exception {
    tool.close();
    node.close();
    zooKeeper.close();
  }

  private static String bootstrap() {
    return "127.0.0.1:" + node.address().getPort();
  }

  private static KafkaConsumer<byte[], byte[]> consumer(String group) {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap());
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.CLIENT_ID_CONFIG, "c1");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Has both partitions, and 42 and 7 committed. */
  private static KafkaConsumer<byte[], byte[]> member(String group) {
    KafkaConsumer<byte[], byte[]> consumer = consumer(group);
    consumer.subscribe(List.of("t"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .until(
            () -> {
              consumer.poll(Duration.ofMillis(20));
              return consumer.assignment().size() == 2;
            });
    consumer.commitSync(Map.of(T0, new OffsetAndMetadata(42), T1, new OffsetAndMetadata(7)));
    return consumer;
  }

  @Test
  void aLiveGroupIsListedAndDescribedInEveryWay() {
    try (var consumer = member("live")) {
      String id = consumer.groupMetadata().memberId();

      assertThat(tool.run("--list")).contains("live");
      assertThat(tool.run("--list", "--state")).contains("GROUP STATE", "live Stable");
      assertThat(tool.run("--list", "--state", "Empty"))
          .doesNotContain("live Empty", "live Stable");
      assertThat(tool.run("--list", "--type")).contains("GROUP TYPE", "live Classic");
      assertThat(tool.run("--describe", "--group", "live", "--state"))
          .containsExactly(
              "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS",
              "live " + bootstrap() + " (1000000000) range Stable 1");
      assertThat(tool.run("--describe", "--group", "live", "--members"))
          .containsExactly(
              "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS", "live " + id + " /127.0.0.1 c1 2");
      assertThat(tool.run("--describe", "--group", "live", "--members", "--verbose"))
          .last()
          .isEqualTo("live " + id + " /127.0.0.1 c1 2 - t:0,1 - -");
      assertThat(tool.run("--describe", "--group", "live"))
          .containsExactly(
              "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID",
              "live t 0 42 42 0 " + id + " /127.0.0.1 c1",
              "live t 1 7 7 0 " + id + " /127.0.0.1 c1");
    }
  }

  @Test
  void whatALiveGroupNeedsIsNotTakenFromIt() {
    try (var consumer = member("busy")) {
      assertThat(tool.run("--delete", "--group", "busy"))
          .containsExactly(
              "Error: Deletion of some consumer groups failed:",
              "* Group 'busy' could not be deleted due to:"
                  + " org.apache.kafka.common.errors.GroupNotEmptyException: The group is not empty.");
      assertThat(tool.run("--delete-offsets", "--group", "busy", "--topic", "t:0"))
          .containsExactly(
              "Error: Encountered some partition-level error, see the follow-up details.",
              "TOPIC PARTITION STATUS",
              "t 0 Error: org.apache.kafka.common.errors.GroupSubscribedToTopicException: Deleting"
                  + " offsets of a topic is forbidden while the consumer group is actively"
                  + " subscribed to it.");
      assertThat(
              tool.run(
                  "--reset-offsets",
                  "--group",
                  "busy",
                  "--topic",
                  "t:0",
                  "--to-earliest",
                  "--execute"))
          .containsExactly(
              "Error: Assignments can only be reset if the group 'busy' is inactive, but the"
                  + " current state is Stable.",
              "GROUP TOPIC PARTITION NEW-OFFSET");
      assertThat(consumer.committed(Set.of(T0)).get(T0).offset()).isEqualTo(42);
    }
  }

  @Test
  void anEmptyGroupIsResetLosesPositionsAndIsDeleted() {
    member("left").close();
    String header =
        "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID";
    assertThat(tool.run("--describe", "--group", "left"))
        .containsExactly(
            "Consumer group 'left' has no active members.",
            header,
            "left t 0 42 42 0 - - -",
            "left t 1 7 7 0 - - -");

    String[] reset = {
      "--reset-offsets", "--group", "left", "--topic", "t:0", "--to-offset", "3", "--dry-run"
    };
    assertThat(tool.run(reset)).containsExactly("GROUP TOPIC PARTITION NEW-OFFSET", "left t 0 3");
    assertThat(position("left", T0)).as("after a dry run").isEqualTo(42);
    reset[7] = "--execute";
    assertThat(tool.run(reset)).containsExactly("GROUP TOPIC PARTITION NEW-OFFSET", "left t 0 3");
    assertThat(position("left", T0)).isEqualTo(3);

    assertThat(tool.run("--delete-offsets", "--group", "left", "--topic", "t:1"))
        .containsExactly(
            "Request succeeded for deleting offsets from group left.",
            "TOPIC PARTITION STATUS",
            "t 1 Successful");
    assertThat(tool.run("--describe", "--group", "left"))
        .containsExactly(
            "Consumer group 'left' has no active members.", header, "left t 0 3 42 39 - - -");

    assertThat(tool.run("--delete", "--group", "left"))
        .containsExactly("Deletion of requested consumer groups ('left') was successful.");
    assertThat(tool.run("--list")).doesNotContain("left");
  }

  private static long position(String group, TopicPartition partition) {
    try (var consumer = consumer(group)) {
      return consumer.committed(Set.of(partition)).get(partition).offset();
    }
  }

  @Test
  void aGroupThatNobodyKnowsIsNamed() {
    assertThat(tool.run("--describe", "--group", "nobody"))
        .containsExactly(
            "Error: Executing consumer group command failed due to"
                + " org.apache.kafka.common.errors.GroupIdNotFoundException: Group nobody is not a"
                + " consumer group.");
    assertThat(tool.run("--delete", "--group", "nobody"))
        .containsExactly(
            "Error: Deletion of some consumer groups failed:",
            "* Group 'nobody' could not be deleted due to:"
                + " org.apache.kafka.common.errors.GroupIdNotFoundException: The group id does not"
                + " exist.");
  }
}
