package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.znode.ZnodePaths;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Unmodified consumers with {@code client.rack} and brokers with {@code broker.rack}. */
class RackIT {

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final OwnershipLedger ledger = new OwnershipLedger();
  private Stage stage;

  @BeforeEach
  void start() throws Exception {
    stage = new Stage();
    write(
        ZnodePaths.topic("t"),
        "{\"version\":1,\"partitions\":"
            + "{\"0\":[2],\"1\":[1],\"2\":[3],\"3\":[2],\"4\":[3],\"5\":[1]}}");
    broker(1, "r1");
    stage.node =
        CoordinatorNode.start(
            stage
                .config()
                .withGroupAssignment(GroupAssignmentConfig.server("uniform", Duration.ZERO)),
            ledger);
  }

  @AfterEach
  void stop() throws Exception {
    stage.close();
  }

  private void write(String path, String payload) throws Exception {
    stage
        .admin
        .create()
        .orSetData()
        .creatingParentsIfNeeded()
        .forPath(path, payload.getBytes(StandardCharsets.UTF_8));
  }

  private void broker(int id, String rack) throws Exception {
    write(
        ZnodePaths.broker(id),
        "{\"listener_security_protocol_map\":{\"PLAINTEXT\":\"PLAINTEXT\"},"
            + "\"endpoints\":[\"PLAINTEXT://h:9092\"],\"jmx_port\":-1,\"host\":\"h\","
            + "\"timestamp\":\"1\",\"port\":9092,\"version\":4,\"rack\":\""
            + rack
            + "\"}");
  }

  private PolledConsumer join(String group, String name, String rack) {
    return new PolledConsumer(
        stage.consumer(group, name, Map.of(ConsumerConfig.CLIENT_RACK_CONFIG, rack)),
        name,
        List.of("t"),
        ledger);
  }

  private static void awaitShare(PolledConsumer member, Integer... partitions) {
    Assignment share = t(partitions);
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(member.assignment()).isEqualTo(share));
  }

  /**
   * The coordinator reads in the order of changes: when it knows a new topic, it knows the rest.
   */
  private void awaitRead(String why) throws Exception {
    String marker = why.replace(' ', '-');
    stage.topic(marker, 1);
    try (var consumer = stage.consumer("markers", "m", Map.of())) {
      await()
          .atMost(DEADLINE)
          .pollInSameThread()
          .until(() -> consumer.listTopics().containsKey(marker));
    }
  }

  /** Brokers register while the coordinator runs, and are gone before anybody asks for them. */
  @Test
  void aServerAssignedGroupConsumesInItsOwnRacks() throws Exception {
    broker(2, "r2");
    broker(3, "r3");
    awaitRead("after their coming");
    stage.admin.delete().forPath(ZnodePaths.broker(2));
    stage.admin.delete().forPath(ZnodePaths.broker(3));
    awaitRead("after their going");

    try (PolledConsumer a = join("g", "a", "r1");
        PolledConsumer b = join("g", "b", "r2");
        PolledConsumer c = join("g", "c", "r3")) {
      awaitShare(a, 1, 5);
      awaitShare(b, 0, 3);
      awaitShare(c, 2, 4);
    }
  }

  @Test
  void soDoOurOwnMembers() throws Exception {
    broker(2, "r2");
    broker(3, "r3");
    awaitRead("after their coming");

    try (CoordinatorRebalanceEngine one = engine("r1");
        CoordinatorRebalanceEngine two = engine("r2");
        CoordinatorRebalanceEngine three = engine("r3")) {
      Map<CoordinatedMember, Assignment> expected =
          Map.of(
              join(one, "a"), t(1, 5),
              join(two, "b"), t(0, 3),
              join(three, "c"), t(2, 4));
      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () ->
                  expected.forEach(
                      (member, share) -> assertThat(member.assignment()).isEqualTo(share)));
    }
  }

  private CoordinatorRebalanceEngine engine(String rack) {
    return new CoordinatorRebalanceEngine(
        CoordinatorClientConfig.of(List.of(stage.node.address()))
            .withSession(Duration.ofSeconds(6), Duration.ofMillis(200))
            .withClientRack(rack),
        ledger);
  }

  private static CoordinatedMember join(CoordinatorRebalanceEngine engine, String name) {
    return engine.join(
        new MemberConfig(new GroupId("h"), name, Subscription.copyOf(Map.of("t", 1))),
        OwnershipListener.none());
  }

  private static Assignment t(Integer... partitions) {
    return Assignment.of("t", PartitionSet.copyOf(List.of(partitions)));
  }
}
