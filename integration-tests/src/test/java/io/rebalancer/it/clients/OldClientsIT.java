package io.rebalancer.it.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.it.peers.PeerJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Unmodified clients of other releases and of another language, each in a process of its own. */
class OldClientsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final List<Observation> SEEN = new CopyOnWriteArrayList<>();

  private static EmbeddedZooKeeper zooKeeper;
  private static CoordinatorNode node;

  @TempDir private Path folder;

  @BeforeAll
  static void start() throws Exception {
    zooKeeper = EmbeddedZooKeeper.start();
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(zooKeeper.connectString(), new RetryOneTime(100))) {
      client.start();
      client
          .create()
          .creatingParentsIfNeeded()
          .forPath(ZnodePaths.topic("t"), TopicPayload.encode(4, List.of(1)));
    }
    node =
        CoordinatorNode.start(
            CoordinatorConfig.of(zooKeeper.connectString(), new HostPort("127.0.0.1", 0))
                .withGroupInitialRebalanceDelay(Duration.ofMillis(100)),
            SEEN::add);
  }

  @AfterAll
  static void stop() throws Exception {
    node.close();
    zooKeeper.close();
  }

  private static String address() {
    return "127.0.0.1:" + node.address().getPort();
  }

  /** A process and what it has printed. */
  private record Client(Process process, Path output) implements AutoCloseable {
    static Client start(Path output, List<String> command) throws IOException {
      return new Client(
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start(),
          output);
    }

    String text() throws IOException {
      return Files.readString(output, UTF_8);
    }

    /** What the last line says that begins with {@code word}. */
    String last(String word) throws IOException {
      return text()
          .lines()
          .filter(line -> line.startsWith(word + " "))
          .reduce("", (earlier, later) -> later);
    }

    void type(char letter) throws IOException {
      process.getOutputStream().write(letter);
      process.getOutputStream().flush();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  private Client consumer(String release, String group, String id, String assignor)
      throws IOException {
    List<String> command =
        PeerJvm.command(PeerJvm.classPath("clients-" + release), OldConsumer.class.getName());
    command.addAll(
        List.of(
            "t",
            "bootstrap.servers=" + address(),
            "group.id=" + group,
            "client.id=" + id,
            "enable.auto.commit=false",
            "heartbeat.interval.ms=200",
            "session.timeout.ms=10000",
            "auto.offset.reset=earliest",
            "partition.assignment.strategy=org.apache.kafka.clients.consumer." + assignor));
    return Client.start(folder.resolve(id + ".txt"), command);
  }

  @ParameterizedTest
  @CsvSource({
    "2.8.2, RangeAssignor",
    "2.8.2, CooperativeStickyAssignor",
    "3.9.2, RangeAssignor",
    "3.9.2, CooperativeStickyAssignor"
  })
  void twoKafkaConsumersShareCommitReadBackAndLeaveAnEmptyGroup(String release, String assignor)
      throws Exception {
    String group = "g-" + release + "-" + assignor;
    try (Client one = consumer(release, group, "c1", assignor)) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(one.last("share")).as(one.text()).endsWith("[0, 1, 2, 3]"));
      try (Client two = consumer(release, group, "c2", assignor)) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> {
                  assertThat(numbers(one.last("share"))).hasSize(2);
                  assertThat(numbers(two.last("share"))).hasSize(2);
                  assertThat(numbers(one.last("share") + "," + two.last("share")))
                      .containsExactly(0, 1, 2, 3);
                });

        one.type('c');
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(one.last("committed")).isEqualTo("committed 7"));
        two.type('q');
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(one.last("share")).endsWith("[0, 1, 2, 3]"));
        one.type('q');
        assertThat(one.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(one.text()).endsWith("left\n");
        assertThat(two.text()).endsWith("left\n");
      }
    }
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(lastPhase(group)).isEqualTo("Empty"));
    if (assignor.startsWith("Cooperative")) {
      assertThat(Files.readString(folder.resolve("c1.txt"), UTF_8))
          .as("it goes on with what it keeps")
          .doesNotContain("share []\nshare [0, 1]\n");
    }
  }

  private static List<Integer> numbers(String shares) {
    return Arrays.stream(shares.replaceAll("[^0-9,]", "").split(","))
        .filter(text -> !text.isEmpty())
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }

  private static String lastPhase(String group) {
    return SEEN.stream()
        .filter(Observation.PhaseChanged.class::isInstance)
        .map(Observation.PhaseChanged.class::cast)
        .filter(move -> move.group().value().equals(group))
        .map(Observation.PhaseChanged::to)
        .reduce("", (earlier, later) -> later);
  }

  @ParameterizedTest
  @CsvSource({"range", "roundrobin", "cooperative-sticky"})
  void twoOfLibrdkafkaShareATopic(String strategy) throws Exception {
    assumeTrue(isInstalled(), "kcat is not installed: apt-get install kcat");
    String group = "kcat-" + strategy;
    try (Client one = kcat(group, "k1", strategy)) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(one.text()).contains("t [0], t [1], t [2], t [3]"));
      try (Client two = kcat(group, "k2", strategy)) {
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () ->
                    assertThat(two.text())
                        .as(one.text())
                        .containsPattern("t \\[\\d\\], t \\[\\d\\]"));
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(lastPhase(group)).isEqualTo("Stable"));
      }
    }
  }

  private Client kcat(String group, String id, String strategy) throws IOException {
    List<String> command = new ArrayList<>(List.of("kcat", "-b", address()));
    Stream.of(
            "client.id=" + id,
            "partition.assignment.strategy=" + strategy,
            "heartbeat.interval.ms=200",
            "session.timeout.ms=10000",
            "auto.offset.reset=earliest")
        .forEach(setting -> command.addAll(List.of("-X", setting)));
    command.addAll(List.of("-G", group, "t"));
    return Client.start(folder.resolve(id + ".txt"), command);
  }

  private static boolean isInstalled() {
    boolean found =
        Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "kcat")));
    if (!found) {
      System.out.println("kcat is not installed (apt-get install kcat): librdkafka is not tried");
    }
    return found;
  }
}
