package io.rebalancer.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

/** What retention and deletion do to ZooKeeper; the rules themselves are RetentionTest's. */
class RetentionIT {

  private static final String GROUP = "/rebalancer/groups/g";

  /** A member came, committed, and left: the group is Empty. */
  private static void emptyGroup(Stage stage) throws Exception {
    try (var consumer = stage.consumer("g", "c1", Map.of())) {
      consumer.subscribe(List.of("t"));
      await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(1))
          .pollInSameThread()
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(20));
                return consumer.assignment().size() == 1;
              });
      consumer.commitSync(Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(42)));
    }
    await().until(() -> text(stage, GROUP).contains("\"members\":[]"));
  }

  private static String text(Stage stage, String path) throws Exception {
    return new String(stage.admin.getData().forPath(path), UTF_8);
  }

  private static void restart(Stage stage, Duration retention) {
    if (stage.node != null) {
      stage.node.close();
    }
    stage.node =
        CoordinatorNode.start(
            stage.config().withOffsetsRetention(retention, Duration.ofMillis(50)),
            stage.observations::add);
  }

  @Test
  void anEmptyGroupIsKeptAcrossARestartAsItIsAndLeavesZookeeperWhenItsTimeIsOver()
      throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      long start = System.currentTimeMillis();
      restart(stage, Duration.ofDays(1));
      emptyGroup(stage);
      String empty = text(stage, GROUP);
      long since = Long.parseLong(empty.replaceAll(".*\"timestamp\":(\\d+).*", "$1"));
      assertThat(since).isBetween(start, System.currentTimeMillis());

      restart(stage, Duration.ofDays(1));
      try (WireClient client = new WireClient(stage.node)) {
        assertThat(deletion(client, "nobody")).as("groups are loaded").isEqualTo(69);
      }
      assertThat(text(stage, GROUP)).isEqualTo(empty);
      assertThat(text(stage, GROUP + "/offsets/t/0")).contains("\"offset\":42");

      restart(stage, Duration.ofMillis(1));
      await().until(() -> stage.admin.checkExists().forPath(GROUP) == null);
    }
  }

  private static int deletion(WireClient client, String group) throws Exception {
    DeleteGroupsResponseData answer =
        client.ask(
            ApiKeys.DELETE_GROUPS, 2, new DeleteGroupsRequestData().setGroupsNames(List.of(group)));
    return answer.results().iterator().next().errorCode();
  }

  @Test
  void whoseSlotWasTakenDeletesNothing() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      restart(stage, Duration.ofDays(1));
      emptyGroup(stage);
      stage.admin.setData().forPath("/rebalancer/slots/03", "taken by another".getBytes(UTF_8));

      try (WireClient client = new WireClient(stage.node)) {
        assertThat(deletion(client, "g")).isEqualTo(16);
      }

      assertThat(text(stage, GROUP + "/offsets/t/0")).contains("\"offset\":42");
    }
  }

  /** Nodes that others put there go too, and those they took away are not missed. */
  @Test
  void aGroupIsDeletedAsItIsFound() throws Exception {
    try (Stage stage = new Stage()) {
      stage.topic("t", 1);
      restart(stage, Duration.ofDays(1));
      emptyGroup(stage);
      stage.admin.delete().forPath(GROUP + "/offsets/t/0");
      stage.admin.create().creatingParentsIfNeeded().forPath(GROUP + "/notes/by/hand");

      try (WireClient client = new WireClient(stage.node)) {
        assertThat(deletion(client, "g")).isZero();
      }

      assertThat(stage.admin.checkExists().forPath(GROUP)).isNull();
    }
  }
}
