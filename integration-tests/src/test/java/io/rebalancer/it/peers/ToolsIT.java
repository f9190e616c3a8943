package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.it.cli.CommandLineProcess;
import io.rebalancer.it.peers.ToolGroup.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kafka's own tools of 0.8.2.2 and 1.1.1 on groups of the originals and of ours, and ours on both:
 * every tool prints the same of either. A broker of 1.1.1 has the topic.
 */
class ToolsIT {

  private static EmbeddedZooKeeper zooKeeper;
  private static PeerStage stage;
  private static RealBroker broker;

  @TempDir private static Path folder;

  @BeforeAll
  static void start() {
    zooKeeper = EmbeddedZooKeeper.start();
    stage = new PeerStage(zooKeeper.connectString(), "tools", List.of(), Map.of());
    broker = RealBroker.start("1.1.1", stage.connect(), () -> !stage.brokers().isEmpty());
    stage.createTopic("t", ToolGroup.RECORDS.size());
    broker.produce("t", ToolGroup.RECORDS);
  }

  @AfterAll
  static void stop() {
    broker.close();
    stage.close();
    zooKeeper.close();
  }

  /** When a tool is run on a group. */
  private enum Moment {
    JOINED,
    COMMITTED,
    LEFT,
    IMPORTED
  }

  /**
   * A row of the table.
   *
   * @param arguments {@code Z} is the ensemble, {@code FILE} a new file
   * @param output on both outputs, then the lines of FILE, sorted
   */
  private record Call(
      Moment moment,
      PeerRelease release,
      String tool,
      String arguments,
      int exitCode,
      String output) {

    @Override
    public String toString() {
      return moment + ", " + release + " " + tool + " " + arguments;
    }

    void check() {
      Path file = newFile();
      RealTool.Finished finished =
          RealTool.run(
              release,
              tool,
              arguments.replace("Z", stage.connect()).replace("FILE", file.toString()).split(" "));
      List<String> lines = new ArrayList<>(finished.lines());
      try {
        if (Files.exists(file)) {
          lines.addAll(Files.readAllLines(file, UTF_8).stream().sorted().toList());
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      assertThat(lines).as(toString()).containsExactlyElementsOf(output.lines().toList());
      assertThat(finished.exitCode()).as(toString()).isEqualTo(exitCode);
    }
  }

  private static final String GROUPS = "kafka.admin.ConsumerGroupCommand";
  private static final String CHECKER = "kafka.tools.ConsumerOffsetChecker";
  private static final String EXPORT = "kafka.tools.ExportZkOffsets";
  private static final String VERIFY = "kafka.tools.VerifyConsumerRebalance";

  private static final List<Call> TABLE =
      List.of(
          // A group that has not committed has no offsets node: exporting it fails.
          new Call(
              Moment.JOINED,
              PeerRelease.V0_8_2_2,
              EXPORT,
              "--zkconnect Z --group g --output-file FILE",
              1,
              """
              Exception in thread "main" org.I0Itec.zkclient.exception.ZkNoNodeException: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /consumers/g/offsets
              """),
          new Call(
              Moment.JOINED,
              PeerRelease.V1_1_1,
              EXPORT,
              "--zkconnect Z --group g --output-file FILE",
              1,
              """
              log WARN WARNING: ExportZkOffsets is deprecated and will be dropped in a future release following 0.11.0.0.
              Exception in thread "main" org.I0Itec.zkclient.exception.ZkNoNodeException: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /consumers/g/offsets
              """),
          new Call(
              Moment.JOINED,
              PeerRelease.V0_8_2_2,
              CHECKER,
              "--zookeeper Z --group g",
              0,
              """
              Exiting due to: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /consumers/g/offsets/t/0.
              """),
          new Call(
              Moment.JOINED,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --describe --group g",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).
              Error: Could not fetch offset from zookeeper for group 'g' partition 't-0' due to missing offset data in zookeeper.
              Error: Could not fetch offset from zookeeper for group 'g' partition 't-1' due to missing offset data in zookeeper.
              Error: Could not fetch offset from zookeeper for group 'g' partition 't-2' due to missing offset data in zookeeper.

              TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID
              t               0          -               3               -               g_c1
              t               1          -               1               -               g_c2
              t               2          -               0               -               g_c2
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --list",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).
              g
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --describe --group g",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).

              TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID
              t               0          2               3               1               g_c1
              t               1          1               1               0               g_c2
              t               2          0               0               0               g_c2
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --delete --group g",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).
              Error: Delete for group 'g' failed because its consumers are still active.
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V0_8_2_2,
              CHECKER,
              "--zookeeper Z --group g",
              0,
              """
              Group           Topic                          Pid Offset          logSize         Lag             Owner
              g               t                              0   2               3               1               g_c1-0
              g               t                              1   1               1               0               g_c2-0
              g               t                              2   0               0               0               g_c2-1
              """),
          // KAFKA-3952: it compares texts with numbers, and finds no group in order.
          new Call(
              Moment.COMMITTED,
              PeerRelease.V0_8_2_2,
              VERIFY,
              "--zookeeper.connect Z --group g",
              0,
              """
              log ERROR No owner for partition [t,0]
              log ERROR Owner g_c1-0 for partition [t,0] is not a valid member of consumer group g
              log ERROR No owner for partition [t,1]
              log ERROR Owner g_c2-0 for partition [t,1] is not a valid member of consumer group g
              log ERROR No owner for partition [t,2]
              log ERROR Owner g_c2-1 for partition [t,2] is not a valid member of consumer group g
              Rebalance operation failed !
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V1_1_1,
              VERIFY,
              "--zookeeper.connect Z --group g",
              0,
              """
              log WARN WARNING: VerifyConsumerRebalance is deprecated and will be dropped in a future release following 0.11.0.0.
              Rebalance operation successful !
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V0_8_2_2,
              EXPORT,
              "--zkconnect Z --group g --output-file FILE",
              0,
              """
              /consumers/g/offsets/t/0:2
              /consumers/g/offsets/t/1:1
              /consumers/g/offsets/t/2:0
              """),
          new Call(
              Moment.COMMITTED,
              PeerRelease.V1_1_1,
              EXPORT,
              "--zkconnect Z --group g --output-file FILE",
              0,
              """
              log WARN WARNING: ExportZkOffsets is deprecated and will be dropped in a future release following 0.11.0.0.
              /consumers/g/offsets/t/0:2
              /consumers/g/offsets/t/1:1
              /consumers/g/offsets/t/2:0
              """),
          new Call(
              Moment.LEFT,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --describe --group g",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).

              TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID
              t               0          2               3               1               -
              t               1          1               1               0               -
              t               2          0               0               0               -
              """),
          new Call(
              Moment.LEFT,
              PeerRelease.V0_8_2_2,
              CHECKER,
              "--zookeeper Z --group g",
              0,
              """
              Group           Topic                          Pid Offset          logSize         Lag             Owner
              g               t                              0   2               3               1               none
              g               t                              1   1               1               0               none
              g               t                              2   0               0               0               none
              """),
          // Offsets alone, as an import leaves them, are no group to these.
          new Call(
              Moment.IMPORTED,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --describe --group g",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).
              Error: Executing consumer group command failed due to org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /consumers/g/ids
              """),
          new Call(
              Moment.IMPORTED,
              PeerRelease.V1_1_1,
              GROUPS,
              "--zookeeper Z --delete --group g",
              0,
              """
              Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).
              Error: Delete for group 'g' failed because group does not exist.
              """),
          new Call(
              Moment.IMPORTED,
              PeerRelease.V0_8_2_2,
              CHECKER,
              "--zookeeper Z --group g",
              0,
              """
              Exiting due to: org.apache.zookeeper.KeeperException$NoNodeException: KeeperErrorCode = NoNode for /consumers/g/owners.
              """),
          // Without members there is nothing to compare.
          new Call(
              Moment.LEFT,
              PeerRelease.V0_8_2_2,
              VERIFY,
              "--zookeeper.connect Z --group g",
              0,
              "Rebalance operation successful !\n"));

  private static final Call DELETE =
      new Call(
          Moment.LEFT,
          PeerRelease.V1_1_1,
          GROUPS,
          "--zookeeper Z --delete --group g",
          0,
          """
          Note: This will only show information about consumers that use ZooKeeper (not those using the Java consumer API).
          Deleted all consumer group information for group 'g' in zookeeper.
          """);

  @ParameterizedTest
  @EnumSource(names = "OURS_1_1")
  void kafkasToolsSeeOurGroupAsTheirs(Kind kind) throws IOException {
    demandTable(kind);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OURS_1_1")
  @Tag("real")
  void kafkasToolsSeeEveryKindOfGroupAlike(Kind kind) throws IOException {
    demandTable(kind);
  }

  private void demandTable(Kind kind) throws IOException {
    try (ToolGroup group = kind.join(stage)) {
      check(Moment.JOINED);
      group.commit();
      demandCommitted();
      check(Moment.COMMITTED);
      demandThatALiveGroupIsWrittenTo();
    }
    awaitNoMembers();
    check(Moment.LEFT);
    DELETE.check();
    assertThat(stage.znodes()).doesNotContainKey("/consumers/g");
  }

  /** What ours refuse: the original's import looks at no members. */
  private static void demandThatALiveGroupIsWrittenTo() throws IOException {
    Path lines = Files.writeString(newFile(), "/consumers/g/offsets/t/0:2\n", UTF_8);
    theirImport(PeerRelease.V0_8_2_2, lines);
    assertThat(offsets()).containsEntry("/consumers/g/offsets/t/0", "'2' persistent 1");
  }

  @Test
  @Tag("real")
  void offsetsAloneAreAGroupToOursOnly() throws Exception {
    Path lines = Files.writeString(newFile(), "/consumers/g/offsets/t/0:2\n", UTF_8);
    theirImport(PeerRelease.V1_1_1, lines);

    check(Moment.IMPORTED);
    demand(
        "groups --describe --group g",
        0,
        """
        GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID
        g      t      0          2               -               -    -            -     -
        """,
        "");
    demand("groups --delete --group g", 0, "deleted g\n", "");
  }

  private static void check(Moment moment) {
    TABLE.stream().filter(call -> call.moment() == moment).parallel().forEach(Call::check);
  }

  /** Byte for byte what either writes. */
  private static void demandCommitted() {
    assertThat(offsets())
        .isEqualTo(
            new TreeMap<>(
                Map.of(
                    "/consumers/g/offsets", "null persistent 0",
                    "/consumers/g/offsets/t", "null persistent 0",
                    "/consumers/g/offsets/t/0", "'2' persistent 0",
                    "/consumers/g/offsets/t/1", "'1' persistent 0",
                    "/consumers/g/offsets/t/2", "'0' persistent 0")));
  }

  private static SortedMap<String, String> offsets() {
    SortedMap<String, String> znodes = stage.znodes();
    znodes.keySet().removeIf(path -> !path.startsWith(ZnodePaths.offsets(PeerStage.GROUP)));
    return znodes;
  }

  private static void awaitNoMembers() {
    await().until(() -> stage.memberIds().isEmpty());
  }

  @ParameterizedTest
  @EnumSource(names = "KAFKA_1_1_1")
  void ourToolsSeeTheirGroup(Kind kind) throws Exception {
    demandOurs(kind);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "KAFKA_1_1_1")
  @Tag("real")
  void ourToolsSeeEveryKindOfGroupAlike(Kind kind) throws Exception {
    demandOurs(kind);
  }

  private void demandOurs(Kind kind) throws Exception {
    try (ToolGroup group = kind.join(stage)) {
      demand("offsets export --group g", 0, "", "rebalancer: g has no offsets\n");
      group.commit();
      demandCommitted();
      String at = " --bootstrap-server " + broker.address();
      try (Command list = start("groups --list");
          Command describe = start("groups --describe --group g" + at);
          Command verify = start("verify --group g");
          Command delete = start("groups --delete --group g");
          Command reset = start("offsets reset --group g --topic t --to-latest" + at)) {
        list.demand(0, "g\n", "");
        describe.demand(
            0,
            """
            GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID
            g      t      0          2               3               1    g_c1         -     -
            g      t      1          1               1               0    g_c2         -     -
            g      t      2          0               0               0    g_c2         -     -
            """,
            "");
        verify.demand(0, "g: in order, 2 members, 1 topics\n", "");
        delete.demand(1, "", "rebalancer: --delete: g has live members: g_c1, g_c2\n");
        reset.demand(
            0,
            """
            GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
            g      t      0          2               3
            g: 1 of 3 offsets would change; nothing is written without --execute
            """,
            "rebalancer: g has live members: g_c1, g_c2: --execute would be refused\n");
      }
    }
    awaitNoMembers();
    demand("groups --delete --group g", 0, "deleted g\n", "");
    assertThat(stage.znodes()).doesNotContainKey("/consumers/g");
  }

  private record Command(String text, CommandLineProcess process) implements AutoCloseable {

    void demand(int exitCode, String out, String err) throws Exception {
      assertThat(process.awaitEnd())
          .as(text)
          .isEqualTo(new CommandLineProcess.Finished(exitCode, out, err));
    }

    @Override
    public void close() {
      process.close();
    }
  }

  private static Command start(String command) throws IOException {
    String all = command + " --zookeeper " + stage.connect();
    return new Command(command, CommandLineProcess.start(folder, all.split(" ")));
  }

  private static void demand(String command, int exitCode, String out, String err)
      throws Exception {
    try (Command started = start(command)) {
      started.demand(exitCode, out, err);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "V0_8_2_2")
  void offsetsGoThroughTheirFilesAndOursUnchanged(PeerRelease release) throws Exception {
    demandRoundTrip(release);
  }

  @ParameterizedTest
  @EnumSource(names = "V1_1_1")
  @Tag("real")
  void offsetsGoThroughTheFilesOfTheOtherReleaseUnchanged(PeerRelease release) throws Exception {
    demandRoundTrip(release);
  }

  private static void demandRoundTrip(PeerRelease release) throws Exception {
    stage.deleteGroup();
    Path lines = newFile();
    Files.writeString(
        lines,
        """
        /consumers/g/offsets/t/0:2
        /consumers/g/offsets/u.v_w-x/10:9223372036854775807
        /consumers/g/offsets/t/1:-1
        """,
        UTF_8);
    theirImport(release, lines);
    SortedMap<String, String> written = stage.znodes();
    assertThat(written).containsEntry("/consumers/g/offsets/t/1", "'-1' persistent 0");

    Path theirs = newFile();
    theirTool(
        release, EXPORT, "--zkconnect", stage.connect(), "--group", "g", "--output-file", theirs);
    stage.deleteGroup();
    CommandLineProcess.Finished imported =
        CommandLineProcess.run(
            folder,
            ("offsets import --execute --group g --zookeeper %s --input-file %s"
                    .formatted(stage.connect(), theirs))
                .split(" "));
    assertThat(imported.out()).endsWith("g: 3 of 3 offsets changed\n");
    assertThat(stage.znodes()).isEqualTo(written);

    Path ours = newFile();
    demand(
        "offsets export --group g --output-file " + ours,
        0,
        "g: 3 offsets written to " + ours + "\n",
        "");
    assertThat(Files.readAllLines(ours, UTF_8))
        .containsExactlyInAnyOrderElementsOf(Files.readAllLines(theirs, UTF_8));
    stage.deleteGroup();
    theirImport(release, ours);
    assertThat(stage.znodes()).isEqualTo(written);

    // Theirs stops at the first empty line.
    Files.writeString(lines, "/consumers/g/offsets/t/0:5\n\n/consumers/g/offsets/t/1:6\n", UTF_8);
    theirImport(release, lines);
    assertThat(stage.znodes())
        .containsEntry("/consumers/g/offsets/t/0", "'5' persistent 1")
        .containsEntry("/consumers/g/offsets/t/1", "'-1' persistent 0");
    stage.deleteGroup();
  }

  private static void theirImport(PeerRelease release, Path file) {
    theirTool(
        release,
        "kafka.tools.ImportZkOffsets",
        "--zkconnect",
        stage.connect(),
        "--input-file",
        file);
  }

  private static void theirTool(PeerRelease release, String tool, Object... arguments) {
    RealTool.Finished finished =
        RealTool.run(
            release, tool, Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    assertThat(finished.lines()).noneMatch(line -> line.contains("Exception"));
    assertThat(finished.exitCode()).isZero();
  }

  private static Path newFile() {
    try {
      Path file = Files.createTempFile(folder, "offsets", ".txt");
      Files.delete(file);
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
