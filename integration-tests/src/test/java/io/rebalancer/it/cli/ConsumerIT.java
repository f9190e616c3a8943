package io.rebalancer.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code consumer}, {@code groups} and {@code verify}, as processes on one ensemble. */
class ConsumerIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private static List<JsonNode> events(CommandLineProcess consumer) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    return consumer
        .out()
        .lines()
        .map(
            line -> {
              try {
                return mapper.readTree(line);
              } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
                throw new UncheckedIOException(e);
              }
            })
        .toList();
  }

  private static void awaitAssigned(CommandLineProcess consumer, String topic, String partitions) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(events(consumer))
                    .filteredOn(event -> event.get("event").asText().equals("assigned"))
                    .last()
                    .extracting(event -> event.at("/partitions/" + topic).asText())
                    .isEqualTo(partitions));
  }

  @Test
  void aConsumerThatItsGroupDoesNotTakeSaysSoAndEndsWithOne() throws Exception {
    try (CommandLineProcess coordinator =
        CommandLineProcess.start(
            folder, "coordinator", "--topics", "t:4", "--listen", "127.0.0.1:0")) {
      await().atMost(PATIENCE).until(() -> coordinator.out().contains("listening on "));
      await().atMost(PATIENCE).until(() -> coordinator.out().endsWith("\n"));
      String join =
          "consumer --engine coordinator --group g --topics t --bootstrap-server "
              + coordinator.out().strip().replaceFirst("(?s).*listening on ", "")
              + " --strategy ";
      try (CommandLineProcess sticky =
          CommandLineProcess.start(folder, (join + "sticky").split(" "))) {
        awaitAssigned(sticky, "t", "0-3");

        CommandLineProcess.Finished refused =
            CommandLineProcess.run(folder, (join + "range").split(" "));

        assertThat(refused.out())
            .contains("\"event\":\"refused\"")
            .doesNotContain("closed", "registered");
        assertThat(events(sticky))
            .extracting(event -> event.get("event").asText())
            .startsWith("rebalance-started", "registered", "assigned");
        assertThat(refused.err()).contains("INCONSISTENT_GROUP_PROTOCOL (23)");
        assertThat(refused.exitCode()).isEqualTo(1);
      }
      coordinator.signal("TERM");
      assertThat(coordinator.awaitEnd().exitCode()).isZero();
    }
  }

  @Test
  void aConsumerOfACoordinatorTakesWhateverTopicsMatch() throws Exception {
    try (CommandLineProcess coordinator =
        CommandLineProcess.start(
            folder, "coordinator", "--topics", "t1:4,u:2", "--listen", "127.0.0.1:0")) {
      await().atMost(PATIENCE).until(() -> coordinator.out().contains("listening on "));
      await().atMost(PATIENCE).until(() -> coordinator.out().endsWith("\n"));
      String out = coordinator.out().strip();
      String join =
          "consumer --engine coordinator --group g --whitelist t.* --metadata-max-age-ms 200"
              + " --bootstrap-server "
              + out.replaceFirst("(?s).*listening on ", "");
      try (CommandLineProcess consumer = CommandLineProcess.start(folder, join.split(" "))) {
        awaitAssigned(consumer, "t1", "0-3");
        String create =
            "topics --create --topic t2 --partitions 3 --zookeeper "
                + out.replaceFirst("(?s).*zookeeper at (\\S+).*", "$1");
        assertThat(CommandLineProcess.run(folder, create.split(" ")).exitCode()).isZero();

        awaitAssigned(consumer, "t2", "0-2");
        assertThat(consumer.out()).doesNotContain("\"u\"");
      }
    }
  }

  @Test
  void aZooKeeperGroupIsJoinedShownVerifiedAndLeft() throws Exception {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        ZooKeeperConnection connection =
            ZooKeeperConnection.open(ConnectString.parse(zooKeeper.connectString()))) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      cluster.ensureBrokers(1);
      cluster.createTopic("t", 4);
      String at = zooKeeper.connectString();
      Files.writeString(folder.resolve("b.properties"), "rebalance.backoff.ms=300\n");
      String join = "consumer --engine zk --group g --topics t --zookeeper " + at;
      try (CommandLineProcess a =
              CommandLineProcess.start(folder, (join + " --consumer-id a").split(" "));
          CommandLineProcess b =
              CommandLineProcess.start(
                  folder,
                  ("consumer --engine zk --group g --blacklist u.* --consumer-id b --config b.properties --zookeeper "
                          + at)
                      .split(" "))) {
        awaitAssigned(a, "t", "0-1");
        awaitAssigned(b, "t", "2-3");

        var verified = CommandLineProcess.run(folder, "verify", "--group", "g", "--zookeeper", at);
        assertThat(verified.out()).isEqualTo("g: in order, 2 members, 1 topics\n");
        assertThat(verified.exitCode()).isZero();
        assertThat(CommandLineProcess.run(folder, "groups", "--list", "--zookeeper", at).out())
            .isEqualTo("g\n");
        assertThat(
                CommandLineProcess.run(
                        folder, "groups", "--describe", "--group", "g", "--zookeeper", at)
                    .out())
            .contains("g      t      2          -               -               -    g_b");

        b.signal("TERM");
        CommandLineProcess.Finished left = b.awaitEnd();
        assertThat(left.exitCode()).as(left.err()).isZero();
        assertThat(events(b))
            .extracting(event -> event.get("event").asText())
            .startsWith("registered")
            .endsWith("revoked", "closed");
        assertThat(events(b)).last().extracting(e -> e.get("reason").asText()).isEqualTo("close");
        awaitAssigned(a, "t", "0-3");
      }
      var gone = CommandLineProcess.run(folder, "verify", "--group", "h", "--zookeeper", at);
      assertThat(gone.err()).isEqualTo("rebalancer: --group: h does not exist\n");
      assertThat(gone.exitCode()).isEqualTo(1);
    }
  }
}
