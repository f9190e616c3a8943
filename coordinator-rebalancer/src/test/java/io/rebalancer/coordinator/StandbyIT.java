package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.RebalanceObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coordinator that has lost its slots to another sends clients there. */
class StandbyIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final int OTHER_ID = 1_000_000_007;

  private Stage stage;
  private CoordinatorNode other;
  private WireClient client;

  @BeforeEach
  void takeTheSlotsFromTheFirst() throws Exception {
    stage = new Stage();
    stage.topic("t", 2);
    stage.startCoordinator();
    client = new WireClient(stage.node);
    assertThat(namedPort()).isEqualTo(stage.node.address().getPort());
    stage.admin.delete().forPath("/rebalancer/coordinators/1000000000");
    Properties properties = new Properties();
    properties.putAll(
        Map.of(
            "zookeeper.connect", stage.zookeeper.getConnectString(),
            "listeners", "127.0.0.1:0",
            "node.id", Integer.toString(OTHER_ID),
            "zookeeper.session.timeout.ms", "4000",
            "group.initial.rebalance.delay.ms", "100"));
    other = CoordinatorNode.start(CoordinatorProperties.read(properties), stage.observations::add);
    await()
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(namedPort()).isEqualTo(other.address().getPort()));
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    other.close();
    stage.close();
  }

  /** Of the coordinator that the first names; -1 when it names none. */
  private int namedPort() throws Exception {
    FindCoordinatorResponseData answer =
        client.ask(
            ApiKeys.FIND_COORDINATOR,
            4,
            new FindCoordinatorRequestData().setCoordinatorKeys(List.of("g")));
    return answer.coordinators().get(0).port();
  }

  @Test
  void itNamesTheOtherInEveryAnswerUntilItHasTheSlotsAgain() throws Exception {
    String named = OTHER_ID + " 127.0.0.1:" + other.address().getPort();

    MetadataResponseData metadata =
        client.ask(ApiKeys.METADATA, 12, new MetadataRequestData().setTopics(null));
    assertThat(metadata.brokers())
        .extracting(broker -> broker.nodeId() + " " + broker.host() + ":" + broker.port())
        .containsExactly(named);
    assertThat(metadata.controllerId()).isEqualTo(OTHER_ID);
    assertThat(metadata.topics().find("t").partitions())
        .extracting(MetadataResponseData.MetadataResponsePartition::leaderId)
        .containsOnly(OTHER_ID);
    DescribeClusterResponseData cluster =
        client.ask(ApiKeys.DESCRIBE_CLUSTER, 1, new DescribeClusterRequestData());
    assertThat(cluster.brokers())
        .extracting(broker -> broker.brokerId() + " " + broker.host() + ":" + broker.port())
        .containsExactly(named);

    other.close();

    await()
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(namedPort()).isEqualTo(stage.node.address().getPort()));
  }

  @Test
  void whoKnowsTheFirstAloneJoinsAtTheOther() {
    CoordinatorClientConfig config =
        CoordinatorClientConfig.of(List.of(stage.node.address()))
            .withSession(Duration.ofSeconds(6), Duration.ofMillis(200));
    try (CoordinatorRebalanceEngine engine =
            new CoordinatorRebalanceEngine(config, RebalanceObserver.none());
        KafkaConsumer<byte[], byte[]> theirs = stage.consumer("theirs", "c", Map.of())) {
      CoordinatedMember ours =
          engine.join(
              new MemberConfig(new GroupId("ours"), "a", Subscription.copyOf(Map.of("t", 1))),
              OwnershipListener.none());
      theirs.subscribe(List.of("t"));

      await()
          .atMost(DEADLINE)
          .untilAsserted(
              () -> {
                theirs.poll(Duration.ofMillis(50));
                assertThat(theirs.assignment()).hasSize(2);
                assertThat(ours.assignment().size()).isEqualTo(2);
              });
    }
  }
}
