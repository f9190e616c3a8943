package io.rebalancer.it.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rebalancer.it.cli.CommandLineProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The main job, small: what every comparison must show. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompareIT {

  private static final int MEMBERS = 6;
  private static final int TOPICS = 2;
  private static final List<String> PARAMETERS =
      List.of(
          "--members", Integer.toString(MEMBERS),
          "--topics", Integer.toString(TOPICS),
          "--partitions", "10",
          "--restarts", "2",
          "--session-ms", "4000",
          "--heartbeat-ms", "200",
          "--backoff-ms", "200",
          "--retries", "10",
          "--seed", "7",
          "--output", "json");

  @TempDir private static Path folder;

  private CommandLineProcess.Finished finished;
  private JsonNode results;
  private JsonNode again;

  /** Both at once: most of their time is waiting. */
  @BeforeAll
  void compareBothEnginesAndTheCoordinatorAgain() throws Exception {
    try (CommandLineProcess both = compare("--out", "first");
        CommandLineProcess coordinator = compare("--out", "second", "--engine", "coordinator")) {
      finished = both.awaitEnd();
      results = new ObjectMapper().readTree(finished.out());
      again = new ObjectMapper().readTree(coordinator.awaitEnd().out());
    }
  }

  private static CommandLineProcess compare(String... more) throws Exception {
    return CommandLineProcess.start(
        folder,
        Stream.of(List.of("compare"), PARAMETERS, List.of(more))
            .flatMap(List::stream)
            .toArray(String[]::new));
  }

  private static List<JsonNode> runs(JsonNode results, String engine) {
    return StreamSupport.stream(results.get("runs").spliterator(), false)
        .filter(run -> run.get("engine").asText().equals(engine))
        .toList();
  }

  private void each(String engine, Consumer<JsonNode> check) {
    List<JsonNode> runs = runs(results, engine);
    assertThat(runs).hasSize(7);
    runs.forEach(check);
  }

  private JsonNode run(String engine, String scenario) {
    return runs(results, engine).stream()
        .filter(run -> run.get("scenario").asText().equals(scenario))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void itIsValidAndSaysSoInItsExitCodeAndItsFiles() throws Exception {
    assertThat(finished.exitCode()).as(finished.err() + finished.out()).isZero();
    assertThat(results.get("schema").asText()).isEqualTo("rebalancer.compare/1");
    assertThat(results.get("verdict").asText()).isEqualTo("valid");
    Path out = folder.resolve("first");
    assertThat(new ObjectMapper().readTree(out.resolve("results.json").toFile()))
        .isEqualTo(results);
    for (String file : List.of("ledger.jsonl", "observations.jsonl")) {
      List<String> lines = Files.readAllLines(out.resolve(file));
      assertThat(lines).isNotEmpty();
      for (String line : lines) {
        assertThat(new ObjectMapper().readTree(line).get("run").asInt()).isBetween(1, 14);
      }
    }
  }

  @Test
  void clientAndServerCountTheSameNotificationsAndTheModelWhereNoRaceDecides() {
    for (String engine : List.of("zk", "coordinator")) {
      each(
          engine,
          run -> {
            JsonNode counts = run.get("notifications");
            assertThat(counts.get("server")).isEqualTo(counts.get("client"));
            if (!counts.get("model").isNull()) {
              assertThat(counts.get("model")).isEqualTo(counts.get("client"));
            }
          });
    }
    for (String scenario : List.of("join", "leave", "broker-add", "partition-add")) {
      assertThat(run("zk", scenario).at("/notifications/model").asInt()).isEqualTo(MEMBERS);
    }
    assertThat(run("coordinator", "join").at("/notifications/client").asInt()).isZero();
    assertThat(run("coordinator", "broker-add").at("/notifications/client").asInt()).isEqualTo(1);
    assertThat(run("coordinator", "partition-add").at("/notifications/client").asInt())
        .isEqualTo(1);
  }

  @Test
  void watchesAndConnectionsGrowWithMembersInTheOldDesignAndAreConstantInTheNew() {
    int watchesPerMember = 4 + TOPICS; // children and existence of ids and of brokers, each topic
    for (String scenario : List.of("join", "leave", "broker-add", "rolling-restart")) {
      int members = MEMBERS + (scenario.equals("join") ? 1 : scenario.equals("leave") ? -1 : 0);
      JsonNode cost = run("zk", scenario).get("zookeeper");
      assertThat(cost.get("watchesHeld").asInt()).isEqualTo(members * watchesPerMember);
      assertThat(cost.get("connections").asInt()).isEqualTo(members);
    }
    each(
        "coordinator",
        run -> {
          assertThat(run.at("/zookeeper/watchesHeld").asInt()).isEqualTo(1);
          assertThat(run.at("/zookeeper/connections").asInt()).isEqualTo(1);
        });
  }

  @Test
  void everyLedgerIsValidAndTheCoordinatorAlwaysSettlesWithoutDoubleOwners() {
    each("zk", run -> assertThat(run.at("/ledger/verdict").asText()).isEqualTo("valid"));
    each(
        "coordinator",
        run -> {
          assertThat(run.at("/ledger/verdict").asText()).isEqualTo("valid");
          assertThat(run.get("settledMs").isNumber()).isTrue();
          assertThat(run.get("doubleOwnedMs").asDouble()).isZero();
        });
  }

  @Test
  void bothEnginesEndWithTheSameAssignmentAndAttemptsAddUp() {
    for (JsonNode zk : runs(results, "zk")) {
      JsonNode coordinator = run("coordinator", zk.get("scenario").asText());
      assertThat(coordinator.get("assignments")).isEqualTo(zk.get("assignments"));
      assertThat(coordinator.get("moves")).isEqualTo(zk.get("moves"));
      assertThat(zk.get("moves").asInt()).isGreaterThanOrEqualTo(zk.get("minimumMoves").asInt());
    }
    results
        .get("runs")
        .forEach(
            run -> {
              JsonNode r = run.get("rebalances");
              assertThat(r.get("attempts").asInt())
                  .isEqualTo(
                      r.get("productive").asInt()
                          + r.get("redundant").asInt()
                          + r.get("failed").asInt());
            });
  }

  @Test
  void theSameSeedGivesTheSameCoordinatorRuns() {
    List<JsonNode> second = runs(again, "coordinator");
    List<JsonNode> first = runs(results, "coordinator");
    assertThat(second).hasSize(7);
    for (int i = 0; i < second.size(); i++) {
      for (String same : List.of("scenario", "assignments", "moves", "notifications")) {
        assertThat(second.get(i).get(same)).isEqualTo(first.get(i).get(same));
      }
      assertThat(second.get(i).at("/rebalances/necessary"))
          .isEqualTo(first.get(i).at("/rebalances/necessary"));
    }
  }
}
