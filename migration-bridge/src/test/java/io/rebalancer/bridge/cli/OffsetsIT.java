package io.rebalancer.bridge.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.rebalancer.bridge.group.OffsetChange;
import io.rebalancer.bridge.group.StoredOffsets;
import io.rebalancer.bridge.group.StoredOffsets.Node;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.bridge.zookeeper.OffsetNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.RebalanceObserver;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

class OffsetsIT {

  private static final String OFFSETS = "/consumers/g/offsets";

  private static EmbeddedZooKeeper zooKeeper;

  @TempDir private Path folder;

  private LegacyGroup group;

  @BeforeAll
  static void start() {
    zooKeeper = EmbeddedZooKeeper.start();
  }

  @AfterAll
  static void stop() {
    zooKeeper.close();
  }

  @BeforeEach
  void set(TestInfo test) throws Exception {
    group =
        new LegacyGroup(zooKeeper.connectString(), test.getTestMethod().orElseThrow().getName());
    group.put("/brokers/ids/1", "{\"version\":1,\"host\":\"h\",\"port\":1,\"jmx_port\":-1}");
    group.put(
        "/brokers/topics/t", "{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[1],\"10\":[1]}}");
  }

  @AfterEach
  void clear() {
    group.close();
  }

  private Path file(String text) throws Exception {
    return Files.writeString(folder.resolve("in.txt"), text, UTF_8);
  }

  @Test
  void whatIsExportedIsImportedAsItWas() throws Exception {
    group.put(OFFSETS + "/t/10", "7").put(OFFSETS + "/t/1", "-1").put(OFFSETS + "/u/0", "5");
    SortedMap<String, String> before = group.below(OFFSETS);
    Path file = folder.resolve("out.txt");

    CommandLineRun shown = group.run("offsets export --group g");
    CommandLineRun exported = group.run("offsets export --group g --output-file " + file);
    group.delete("/consumers");
    CommandLineRun imported = group.run("offsets import --group g --execute --input-file " + file);

    assertThat(shown)
        .isEqualTo(
            new CommandLineRun(
                0,
                """
                /consumers/g/offsets/t/1:-1
                /consumers/g/offsets/t/10:7
                /consumers/g/offsets/u/0:5
                """,
                ""));
    assertThat(exported)
        .isEqualTo(new CommandLineRun(0, "g: 3 offsets written to " + file + "\n", ""));
    assertThat(Files.readString(file, UTF_8)).isEqualTo(shown.out());
    assertThat(imported.out())
        .isEqualTo(
            """
            GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
            g      t      1          -               -1
            g      t      10         -               7
            g      u      0          -               5
            g: 3 of 3 offsets changed
            """);
    assertThat(imported.err())
        .isEqualTo("rebalancer: u-0: no such partition below /brokers/topics\n");
    assertThat(imported.exitCode()).isZero();
    before.replaceAll((path, payload) -> payload.equals(" v0") ? "null v0" : payload);
    assertThat(group.below(OFFSETS)).isEqualTo(before);
  }

  @Test
  void anOffsetThatCannotBeReadIsNamedAndMakesTheExportFail() throws Exception {
    group.put(OFFSETS + "/t/0", "5").put(OFFSETS + "/t/1", "{\"offset\":42}");
    group.put(OFFSETS + "/t/x", "5").put(OFFSETS + "/t/10", "").put(OFFSETS + "/u/0", "-2");

    CommandLineRun run = group.run("offsets export --group g");

    assertThat(run.out()).isEqualTo("/consumers/g/offsets/t/0:5\n");
    assertThat(run.err().lines())
        .containsExactlyInAnyOrder(
            "/consumers/g/offsets/t/1: \"{\"offset\":42}\" (expected: a decimal offset)",
            "/consumers/g/offsets/t/10: \"\" (expected: a decimal offset)",
            "/consumers/g/offsets/t/x: \"x\" (expected: a partition's number)",
            "/consumers/g/offsets/u/0: \"-2\" (expected: an offset of at least -1)",
            "rebalancer: 4 offsets cannot be read and are not in the export");
    assertThat(run.exitCode()).isEqualTo(1);
  }

  @Test
  void anExportOverwritesNothingAndNamesAMissingGroup() throws Exception {
    Path file = file("mine");

    assertThat(group.run("offsets export --group g --output-file " + file))
        .isEqualTo(
            new CommandLineRun(
                2, "", "rebalancer: --output-file: " + file + " exists, and is not overwritten\n"));
    assertThat(Files.readString(file, UTF_8)).isEqualTo("mine");
    assertThat(group.run("offsets export --group g"))
        .isEqualTo(new CommandLineRun(1, "", "rebalancer: --group: g does not exist\n"));
    group.put("/consumers/g/ids", "");
    assertThat(group.run("offsets export --group g"))
        .isEqualTo(new CommandLineRun(0, "", "rebalancer: g has no offsets\n"));
  }

  @Test
  void nothingIsWrittenWithoutExecute() throws Exception {
    group.put(OFFSETS + "/t/0", "5").put(OFFSETS + "/t/1", "rubbish\n");
    SortedMap<String, String> before = group.below("/consumers");
    Path file =
        file(
            "/consumers/g/offsets/t/0:6\r\n\r\n/consumers/g/offsets/t/1:7\r\n"
                + "/consumers/g/offsets/t/10:8");

    assertThat(group.run("offsets import --group g --input-file " + file))
        .isEqualTo(
            new CommandLineRun(
                0,
                """
                GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
                g      t      0          5               6
                g      t      1          "rubbish?"      7
                g      t      10         -               8
                g: 3 of 3 offsets would change; nothing is written without --execute
                """,
                ""));
    assertThat(group.run("offsets reset --group g --topic t:0 --to-offset 9").out())
        .contains("g      t      0          5               9");
    assertThat(group.below("/consumers")).isEqualTo(before);
  }

  @Test
  void oneBadLineKeepsTheWholeFileFromBeingWritten() throws Exception {
    group.put(OFFSETS + "/t/0", "5");
    Path file = file("/consumers/g/offsets/t/0:6\n/consumers/h/offsets/t/0:7\nx\n");

    assertThat(group.run("offsets import --group g --execute --input-file " + file))
        .isEqualTo(
            new CommandLineRun(
                2,
                "",
                """
                rebalancer: %1$s, line 2: "/consumers/h/offsets/t/0:7" (expected: an offset of group g)
                rebalancer: %1$s, line 3: "x" (expected: /consumers/GROUP/offsets/TOPIC/PARTITION:OFFSET)
                rebalancer: --input-file: %1$s has 2 lines that cannot be used; nothing is written
                """
                    .formatted(file)));
    assertThat(group.below(OFFSETS)).containsEntry(OFFSETS + "/t/0", "5 v0");
  }

  @Test
  void liveMembersAreInTheWayUnlessForced() throws Exception {
    group.put(OFFSETS + "/t/0", "5");
    group.putEphemeral("/consumers/g/ids/g_a", "rubbish");
    group.putEphemeral("/consumers/g/owners/t/0", "g_not-registered-0");
    String reset = "offsets reset --group g --topic t:0 --to-offset 3";
    String live = "g has live members: g_a, g_not-registered";

    assertThat(group.run(reset + " --execute"))
        .isEqualTo(
            new CommandLineRun(
                1, "", "rebalancer: --execute: " + live + "; stop them first, or add --force\n"));
    assertThat(group.run(reset).err())
        .isEqualTo("rebalancer: " + live + ": --execute would be refused\n");
    assertThat(group.below(OFFSETS)).containsEntry(OFFSETS + "/t/0", "5 v0");

    assertThat(group.run(reset + " --execute --force").exitCode()).isZero();
    assertThat(group.below(OFFSETS)).containsEntry(OFFSETS + "/t/0", "3 v1");
  }

  @Test
  void anOffsetThatWasCommittedSinceItWasReadIsLeftAlone() throws Exception {
    group.put(OFFSETS + "/t/0", "5").put(OFFSETS + "/t/1", "6");
    try (ZooKeeperConnection connection =
        ZooKeeperConnection.open(ConnectString.parse(group.connect()))) {
      GroupId g = new GroupId("g");
      OffsetNodes nodes = new OffsetNodes(connection);
      StoredOffsets read = nodes.read(g);
      Node five = read.nodes().get(new TopicPartition("t", 0));
      group.put(OFFSETS + "/t/0", "5");
      group.put(OFFSETS + "/t/10", "8");

      assertThat(nodes.apply(g, new OffsetChange(new TopicPartition("t", 0), five, 3L))).isFalse();
      assertThat(nodes.apply(g, new OffsetChange(new TopicPartition("t", 0), five, null)))
          .isFalse();
      assertThat(nodes.apply(g, new OffsetChange(new TopicPartition("t", 10), null, 3L))).isFalse();
      assertThat(group.below(OFFSETS + "/t"))
          .containsExactly(
              entry(OFFSETS + "/t/0", "5 v1"),
              entry(OFFSETS + "/t/1", "6 v0"),
              entry(OFFSETS + "/t/10", "8 v0"));
    }
  }

  @Test
  void aResetChangesWhatItNamesAndNothingElse() throws Exception {
    group.put(OFFSETS + "/t/0", "5").put(OFFSETS + "/t/1", "6").put(OFFSETS + "/gone/3", "7");

    assertThat(group.run("offsets reset --group g --execute --topic t:1,10 --to-offset 20").out())
        .isEqualTo(
            """
            GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
            g      t      1          6               20
            g      t      10         -               20
            g: 2 of 2 offsets changed
            """);
    assertThat(
            group
                .run("offsets reset --group g --execute --all-topics --shift-by -6 --output json")
                .out())
        .isEqualTo(
            """
            {"group":"g","executed":true,"changes":[\
            {"topic":"gone","partition":3,"current-offset":7,"new-offset":1},\
            {"topic":"t","partition":0,"current-offset":5,"new-offset":0},\
            {"topic":"t","partition":1,"current-offset":20,"new-offset":14},\
            {"topic":"t","partition":10,"current-offset":20,"new-offset":14}],\
            "unchanged":0,"refused":0}
            """);
    assertThat(group.run("offsets reset --group g --execute --topic gone --delete").out())
        .isEqualTo(
            """
            GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
            g      gone   3          1               -
            g: 1 of 1 offsets changed
            """);
    assertThat(group.below(OFFSETS))
        .containsOnlyKeys(
            OFFSETS + "/gone",
            OFFSETS + "/t",
            OFFSETS + "/t/0",
            OFFSETS + "/t/1",
            OFFSETS + "/t/10")
        .containsEntry(OFFSETS + "/t/10", "14 v1");
  }

  @Test
  void aResetOfWhatIsNotThereIsRefused() throws Exception {
    group.put(OFFSETS + "/t/0", "5");
    String reset = "offsets reset --execute ";

    assertThat(group.run(reset + "--group h --topic t --to-offset 3"))
        .isEqualTo(new CommandLineRun(1, "", "rebalancer: --group: h does not exist\n"));
    assertThat(group.run(reset + "--group g --topic u --to-offset 3"))
        .isEqualTo(new CommandLineRun(1, "", "rebalancer: --topic: u does not exist\n"));
    assertThat(group.run(reset + "--group g --topic t:0,2 --to-offset 3"))
        .isEqualTo(new CommandLineRun(1, "", "rebalancer: --topic: t-2 does not exist\n"));
    assertThat(group.run(reset + "--group g --topic u --delete"))
        .isEqualTo(new CommandLineRun(1, "", "rebalancer: --topic: u has no offset\n"));
    assertThat(group.run(reset + "--group g --topic t --shift-by 1"))
        .isEqualTo(
            new CommandLineRun(
                1,
                "",
                """
                rebalancer: t-1: none (expected: an offset to shift)
                rebalancer: t-10: none (expected: an offset to shift)
                rebalancer: nothing is written
                """));
    assertThat(group.below(OFFSETS)).containsEntry(OFFSETS + "/t/0", "5 v0");
  }

  /** Our own coordinator is a broker as far as this goes; its logs are empty. */
  @Test
  void whereLogsEndIsAskedOfBrokers() throws Exception {
    group.put(OFFSETS + "/t/0", "5").put(OFFSETS + "/u/1", "6");
    try (CoordinatorNode broker =
        CoordinatorNode.start(
            CoordinatorConfig.of(group.connect(), new HostPort("127.0.0.1", 0)),
            RebalanceObserver.none())) {
      String at = " --bootstrap-server 127.0.0.1:" + broker.address().getPort();

      CommandLineRun described = group.run("groups --describe --group g" + at);
      CommandLineRun reset = group.run("offsets reset --group g --topic t:0 --to-latest" + at);
      CommandLineRun shifted = group.run("offsets reset --group g --topic t:0 --shift-by -1" + at);

      assertThat(described)
          .isEqualTo(
              new CommandLineRun(
                  0,
                  """
                  GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID
                  g      t      0          5               0               -5   -            -     -
                  g      u      1          6               -               -    -            -     -
                  """,
                  "rebalancer: u-1: the brokers have no such partition\n"));
      assertThat(reset.out()).contains("g      t      0          5               0");
      assertThat(shifted.out()).contains("g      t      0          5               0");
      assertThat(shifted.err()).isEqualTo("rebalancer: t-0: 4 is beyond its log, taken is 0\n");
    }
  }

  @Test
  void brokersThatDoNotAnswerAreWaitedForTenSecondsAndNamed() throws Exception {
    group.put(OFFSETS + "/t/0", "5");
    int nobody;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = socket.getLocalPort();
    }
    String at = "127.0.0.1:" + nobody;

    assertThat(group.run("groups --describe --group g --bootstrap-server " + at))
        .isEqualTo(
            new CommandLineRun(
                3,
                "",
                "rebalancer: Kafka "
                    + at
                    + " is not reachable: no broker of kafka 2.1 or later answered within 10000 ms\n"));
  }
}
