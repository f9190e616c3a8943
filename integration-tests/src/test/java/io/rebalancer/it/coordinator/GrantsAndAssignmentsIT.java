package io.rebalancer.it.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the coordinator grants is what members get over their sockets, also those in another JVM.
 */
class GrantsAndAssignmentsIT {

  private static final GroupId GROUP = new GroupId("g");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  private record Holding(String member, int generation, Assignment partitions) {}

  private static Holding holding(LedgerEntry entry) {
    return new Holding(entry.member(), entry.token().generation(), entry.partitions());
  }

  private static LedgerEntry parse(String line) {
    String[] words = line.split(" ", 5);
    String[] topic = words[4].split(":", 2);
    return new LedgerEntry(
        Long.parseLong(words[0]),
        LedgerEntry.Kind.valueOf(words[1]),
        GROUP,
        words[2],
        Assignment.of(topic[0], PartitionSet.parse(topic[1])),
        FencingToken.ofGeneration(Integer.parseInt(words[3])));
  }

  @Test
  void grantsEqualAssignmentsInBothJvmsAndTheMergedLedgerIsValid() throws Exception {
    OwnershipLedger ledger = new OwnershipLedger();
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start()) {
      createTopic(zooKeeper, "t", 12);
      CoordinatorConfig config =
          CoordinatorConfig.of(zooKeeper.connectString(), new HostPort("127.0.0.1", 0))
              .withGroupInitialRebalanceDelay(Duration.ZERO);
      try (CoordinatorNode node = CoordinatorNode.start(config, ledger);
          CoordinatorRebalanceEngine engine =
              new CoordinatorRebalanceEngine(
                  CoordinatorClientConfig.of(List.of(node.address()))
                      .withSession(Duration.ofSeconds(10), Duration.ofMillis(300)),
                  ledger)) {
        for (String name : List.of("a", "c", "e")) {
          GroupMember member =
              engine.join(
                  new MemberConfig(GROUP, name, Subscription.copyOf(Map.of("t", 1))),
                  OwnershipListener.none());
          assertThat(member).isNotNull();
        }
        Path output = folder.resolve("members.txt");
        Process others = startMembers(node.address().getPort(), output, "b", "d", "f");
        try {
          await().atMost(PATIENCE).untilAsserted(() -> assertThat(lastGrants(ledger)).hasSize(6));
          await()
              .atMost(PATIENCE)
              .untilAsserted(
                  () ->
                      assertThat(lastHoldings(merged(ledger, output)))
                          .isEqualTo(lastGrants(ledger)));
        } finally {
          others.getOutputStream().close();
          assertThat(others.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
        List<LedgerEntry> all = merged(ledger, output);
        assertThat(all.stream().map(LedgerEntry::member)).contains("a", "b", "c", "d", "e", "f");
        assertThat(LedgerChecker.check(all, Ticker.system().nanos()).violations()).isEmpty();
      }
    }
  }

  private static Process startMembers(int port, Path output, String... names) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                MemberProcess.class.getName(),
                Integer.toString(port),
                GROUP.value(),
                "t"));
    command.addAll(List.of(names));
    return new ProcessBuilder(command)
        .redirectOutput(output.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static void createTopic(EmbeddedZooKeeper zooKeeper, String topic, int partitions) {
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(ConnectString.parse(zooKeeper.connectString()))) {
      ClusterNodes cluster = new ClusterNodes(connection, Clock.systemUTC());
      cluster.ensureBrokers(1);
      cluster.createTopic(topic, partitions);
    }
  }

  private static List<LedgerEntry> merged(OwnershipLedger ledger, Path output) throws IOException {
    List<LedgerEntry> all = new ArrayList<>(ledger.entries());
    String text = Files.readString(output, UTF_8);
    text.substring(0, text.lastIndexOf('\n') + 1).lines().forEach(line -> all.add(parse(line)));
    return all;
  }

  private static Map<String, Holding> ofLastGeneration(
      List<LedgerEntry> entries, LedgerEntry.Kind kind) {
    int last = entries.stream().mapToInt(entry -> entry.token().generation()).max().orElse(0);
    return entries.stream()
        .filter(entry -> entry.kind() == kind && entry.token().generation() == last)
        .map(GrantsAndAssignmentsIT::holding)
        .collect(toMap(Holding::member, holding -> holding));
  }

  private static Map<String, Holding> lastGrants(OwnershipLedger ledger) {
    return ofLastGeneration(ledger.entries(), LedgerEntry.Kind.GRANTED);
  }

  private static Map<String, Holding> lastHoldings(List<LedgerEntry> entries) {
    return ofLastGeneration(entries, LedgerEntry.Kind.ASSIGNED);
  }
}
