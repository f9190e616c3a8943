package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.AttemptEnded;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.ZnodePaths;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of docs/cases.md about bad input. */
class BadInputCasesIT {

  private Stage stage;
  private LogCapture log;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1, 2).topic("t", 4);
    log = LogCapture.of("io.rebalancer.zk.registry.Unreadable");
  }

  @AfterEach
  void close() throws Exception {
    log.close();
    stage.close();
  }

  private GroupMember join(String name, boolean strict) {
    return stage
        .engine(stage.config.withRebalance(4, Duration.ofMillis(50)).withStrict(strict))
        .join(stage.member(name), OwnershipListener.none());
  }

  private GroupMember join(String name, boolean strict, TopicSelection topics) {
    return stage
        .engine(stage.config.withRebalance(4, Duration.ofMillis(50)).withStrict(strict))
        .join(new MemberConfig(Stage.GROUP, name, topics), OwnershipListener.none());
  }

  private static Subscription topics(String... names) {
    return Subscription.copyOf(Stream.of(names).collect(toMap(name -> name, name -> 1)));
  }

  private static String id(String member) {
    return ZnodePaths.ids(Stage.GROUP) + "/g1_" + member;
  }

  private void create(String path, String payload) throws Exception {
    stage
        .admin
        .create()
        .creatingParentsIfNeeded()
        .withMode(CreateMode.EPHEMERAL)
        .forPath(path, payload.getBytes(UTF_8));
  }

  private void write(String path, String payload) throws Exception {
    stage.admin.setData().forPath(path, payload.getBytes(UTF_8));
  }

  private void awaitOwned(GroupMember member, Map<String, PartitionSet> topics) {
    await()
        .atMost(Stage.SETTLE)
        .untilAsserted(() -> assertThat(member.assignment()).isEqualTo(Assignment.copyOf(topics)));
  }

  private void awaitHalves(GroupMember c1, GroupMember c2) {
    awaitOwned(c1, Map.of("t", PartitionSet.range(0, 2)));
    awaitOwned(c2, Map.of("t", PartitionSet.range(2, 2)));
  }

  private void awaitGiveUps(int count) {
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.GaveUp.class) >= count);
  }

  private void assertNobodyGaveUp() {
    assertThat(stage.recorder.count(Observation.GaveUp.class)).isZero();
  }

  private static Predicate<String> about(String path, String... words) {
    return line ->
        line.contains("cannot read " + path + ": \"")
            && List.of(words).stream().allMatch(line::contains);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"listener_security_protocol_map\":{\"INTERNAL\":\"SSL\"},\"endpoints\":[\"INTERNAL://b1:9091\"],"
            + "\"rack\":\"r1\",\"jmx_port\":19999,\"host\":null,\"timestamp\":\"1\",\"port\":-1,\"version\":4}",
        "{\"listener_security_protocol_map\":{\"DOCKER_INTERNAL\":\"PLAINTEXT\"},"
            + "\"endpoints\":[\"DOCKER_INTERNAL://b1:1\"],\"jmx_port\":-1,\"host\":null,\"port\":-1,\"version\":4}",
        "{\"endpoints\":[\"SASL_PLAINTEXT://b1:9091\",\"SASL_SSL://b1:9092\"],\"jmx_port\":-1,"
            + "\"host\":null,\"port\":-1,\"version\":2,\"unknown\":[{}]}",
      })
  void b095ABrokerWithoutHostAndPortIsABroker(String payload) throws Exception {
    stage.admin.delete().forPath(ZnodePaths.broker(1));
    stage.admin.delete().forPath(ZnodePaths.broker(2));
    create(ZnodePaths.broker(1), payload);

    GroupMember member = join("c1", false);

    stage.awaitBalance(member);
    assertThat(log.messages()).isEmpty();
  }

  @Test
  void b095EndpointsAreDemandedFromVersion2OnButNotByAStrictMember() throws Exception {
    stage.admin.delete().forPath(ZnodePaths.broker(1));
    stage.admin.delete().forPath(ZnodePaths.broker(2));
    create(ZnodePaths.broker(1), "{\"jmx_port\":-1,\"host\":\"b1\",\"port\":9092,\"version\":2}");
    GroupMember faithful = join("c1", false);
    awaitGiveUps(1);
    assertThat(faithful.assignment()).isEqualTo(Assignment.empty());
    assertThat(log.messages())
        .singleElement()
        .matches(about(ZnodePaths.broker(1), "No such field exists: `endpoints`"));
    faithful.close();

    GroupMember strict = join("c2", true);

    awaitOwned(strict, Map.of("t", PartitionSet.range(0, 4)));
    assertThat(log.messages()).hasSize(2);
  }

  @Test
  void b096AnUnreadableBrokerStopsTheOriginalAndIsSaid() throws Exception {
    create(ZnodePaths.broker(3), "b3-1457105355761:b3:9092");

    GroupMember member = join("c1", false);

    awaitGiveUps(1);
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    assertThat(log.messages())
        .singleElement()
        .matches(about(ZnodePaths.broker(3), "\"b3-1457105355761:b3:9092\""));
  }

  @Test
  void b096AnUnreadableBrokerHarmsNobodyWhoIsStrict() throws Exception {
    create(ZnodePaths.broker(3), "b3-1457105355761:b3:9092");
    create(ZnodePaths.BROKER_IDS + "/three", "{\"host\":\"b3\"}");
    write(
        ZnodePaths.topic("t"),
        "{\"version\":1,\"partitions\":{\"0\":[3],\"1\":[3],\"2\":[1],\"3\":[3]}}");

    GroupMember c1 = join("c1", true);
    GroupMember c2 = join("c2", true);

    awaitHalves(c1, c2);
    stage.awaitQuiet();
    assertThat(log.messages())
        .filteredOn(about(ZnodePaths.broker(3), "\"b3-1457105355761:b3:9092\"", "counted"))
        .hasSize(2); // Each member once.
    assertThat(log.messages())
        .filteredOn(about(ZnodePaths.BROKER_IDS + "/three", "a number for a broker's name"))
        .hasSize(2);
    assertNobodyGaveUp();
  }

  @Test
  void b097ABadRegistrationStopsTheOriginalsAndIsSaidOncePerChange() throws Exception {
    GroupMember c1 = join("c1", false);
    stage.awaitBalance(c1);
    create(id("x"), "events");
    awaitGiveUps(1);
    write(id("x"), "more events");
    stage.touch("t");
    awaitGiveUps(2);

    assertThat(c1.assignment()).isEqualTo(Assignment.empty());
    assertThat(stage.recorder.of(AttemptEnded.class).stream().filter(AttemptEnded::failed))
        .hasSize(8);
    assertThat(log.messages()).hasSize(2);
    assertThat(log.messages().get(0)).matches(about(id("x"), "\"events\""));
    assertThat(log.messages().get(1)).matches(about(id("x"), "\"more events\""));
  }

  @Test
  void b097ABadRegistrationIsLeftOutByStrictMembersUntilItIsCorrected() throws Exception {
    GroupMember c1 = join("c1", true);
    GroupMember c2 = join("c2", true);
    stage.awaitBalance(c1, c2);
    create(id("x"), "events");
    await().atMost(Stage.SETTLE).until(() -> log.messages().size() == 2);
    stage.awaitQuiet();
    awaitHalves(c1, c2);
    assertThat(log.messages()).hasSize(2).allMatch(about(id("x"), "\"events\"", "skipped"));

    write(
        id("x"),
        "{\"version\":1,\"subscription\":{\"t\":2},\"pattern\":\"static\",\"timestamp\":\"1\"}");

    awaitOwned(c1, Map.of("t", PartitionSet.of(0)));
    awaitOwned(c2, Map.of("t", PartitionSet.of(1)));
    assertNobodyGaveUp();
  }

  @Test
  void b097AStrictMemberWhoseOwnRegistrationIsOverwrittenWritesItAgain() throws Exception {
    GroupMember c1 = join("c1", true);
    stage.awaitBalance(c1);
    long session = stage.stat(id("c1")).getEphemeralOwner();
    String registration = stage.text(id("c1"));

    write(id("c1"), "overwritten");
    stage.touch("t");

    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.text(id("c1")).startsWith(registration.substring(0, 30)));
    stage.awaitBalance(c1);
    assertThat(stage.stat(id("c1")).getEphemeralOwner()).isEqualTo(session);
    assertThat(log.messages())
        .singleElement()
        .matches(about(id("c1"), "\"overwritten\"", "its own: to be written again"));
  }

  /** Whose form, and whether it counts as a member of t with strict members. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"t\":2} | false",
        "{\"version\":1,\"subscription\":{\"t\":1},\"timestamp\":\"1\"} | false",
        "{\"subscription\":{\"t\":1},\"pattern\":\"static\"} | true",
        "{\"version\":9,\"pattern\":\"static\",\"subscription\":{\"t\":1},\"extra\":true} | true",
        "{\"version\":1,\"pattern\":\"static\"} | false",
        "{\"version\":1,\"subscription\":{\"t\":1,\"\":1,\"..\":1},\"pattern\":\"static\"} | true",
      })
  void b098StrictMembersCountARegistrationOrLeaveItOut(String payload, boolean counts)
      throws Exception {
    create(id("b"), payload);

    GroupMember a = join("a", true);

    awaitOwned(a, Map.of("t", PartitionSet.range(0, counts ? 2 : 4)));
    stage.awaitQuiet();
    assertNobodyGaveUp();
  }

  @Test
  void b098ATopicNameThatMakesNoPathStopsTheOriginalAndIsSaid() throws Exception {
    create(id("b"), "{\"version\":1,\"subscription\":{\"t\":1,\"..\":1},\"pattern\":\"static\"}");

    join("a", false);

    awaitGiveUps(1);
    assertThat(log.messages())
        .singleElement()
        .matches(about(id("b"), "names that make a path, not [..]"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"static", "white_list"})
  void b100AnEmptySubscriptionIsAMemberThatOwnsNothing(String pattern) throws Exception {
    create(
        id("c2"),
        "{\"version\":1,\"subscription\":{},\"pattern\":\"" + pattern + "\",\"timestamp\":\"1\"}");
    GroupMember faithful = join("c1", false);
    awaitOwned(faithful, Map.of("t", PartitionSet.range(0, 4)));
    stage.awaitQuiet();
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isEqualTo(1);
    write(
        id("c2"),
        "{\"version\":1,\"subscription\":{\"t\":1},\"pattern\":\"static\",\"timestamp\":\"1\"}");
    stage.awaitQuiet(); // Nobody watches registrations.
    awaitOwned(faithful, Map.of("t", PartitionSet.range(0, 4)));
    stage.touch("t");
    awaitOwned(faithful, Map.of("t", PartitionSet.range(0, 2)));
  }

  @Test
  void b100AStrictMemberNoticesWhenAnEmptySubscriptionIsFilled() throws Exception {
    create(
        id("c2"),
        "{\"version\":1,\"subscription\":{},\"pattern\":\"white_list\",\"timestamp\":\"1\"}");
    GroupMember c1 = join("c1", true);
    awaitOwned(c1, Map.of("t", PartitionSet.range(0, 4)));
    stage.awaitQuiet();
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isEqualTo(1);

    write(
        id("c2"),
        "{\"version\":1,\"subscription\":{\"t\":1},\"pattern\":\"static\",\"timestamp\":\"1\"}");

    awaitOwned(c1, Map.of("t", PartitionSet.range(0, 2)));
  }

  @Test
  void b101WildcardsFollowTheTopicsThatComeAndGo() throws Exception {
    stage.topic("ord1", 1).topic("pay1", 1);
    GroupMember c1 = join("c1", false, new WildcardSubscription(TopicFilter.whiteList("ord.*"), 1));
    GroupMember c2 =
        join("c2", false, new WildcardSubscription(TopicFilter.blackList("ord.*|t"), 1));
    awaitOwned(c1, Map.of("ord1", PartitionSet.of(0)));
    awaitOwned(c2, Map.of("pay1", PartitionSet.of(0)));

    stage.topic("ord2", 1).topic("pay2", 1);
    awaitOwned(c1, Map.of("ord1", PartitionSet.of(0), "ord2", PartitionSet.of(0)));
    awaitOwned(c2, Map.of("pay1", PartitionSet.of(0), "pay2", PartitionSet.of(0)));

    stage.admin.delete().forPath(ZnodePaths.topic("ord1"));
    awaitOwned(c1, Map.of("ord2", PartitionSet.of(0)));
    awaitOwned(c2, Map.of("pay1", PartitionSet.of(0), "pay2", PartitionSet.of(0)));
  }

  @Test
  void b103ATopicThatDoesNotExistIsSaidOnceAndOwnedWhenItComes() throws Exception {
    GroupMember c1 = join("c1", false, topics("no-such", "t"));
    GroupMember c2 = join("c2", false, topics("no-such", "t"));
    awaitHalves(c1, c2);
    stage.awaitQuiet();
    stage.recorder.clear();
    stage.awaitQuiet();
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    stage.touch("t");
    await().atMost(Stage.SETTLE).until(() -> stage.recorder.count(AttemptEnded.class) >= 2);
    stage.awaitQuiet();

    assertThat(log.messages())
        .containsExactlyInAnyOrder(
            "WARN g1_c1: /brokers/topics/no-such: no such topic (expected: one that exists):"
                + " waiting for it",
            "WARN g1_c2: /brokers/topics/no-such: no such topic (expected: one that exists):"
                + " waiting for it");
    stage.topic("no-such", 2);
    awaitOwned(c1, Map.of("t", PartitionSet.range(0, 2), "no-such", PartitionSet.of(0)));
    awaitOwned(c2, Map.of("t", PartitionSet.range(2, 2), "no-such", PartitionSet.of(1)));
  }

  private static final String ODD_PARTITIONS =
      "{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[1],\"x\":[1],\"-1\":[1],\"01\":[1],"
          + "\"1.0\":[1],\"2147483648\":[1],\"0-3\":[1]}}";

  @Test
  void b105APartitionNameThatIsNoNumberStopsTheOriginalAndIsSaid() throws Exception {
    write(ZnodePaths.topic("t"), ODD_PARTITIONS);

    GroupMember member = join("c1", false);

    awaitGiveUps(1);
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    assertThat(log.messages())
        .singleElement()
        .matches(about(ZnodePaths.topic("t"), "partition numbers", "not \"x\""));
  }

  @Test
  void b105AStrictMemberOwnsThePlainNumbersAndTouchesNothingElse() throws Exception {
    write(ZnodePaths.topic("t"), ODD_PARTITIONS);
    String x = ZnodePaths.owners(Stage.GROUP) + "/t/x";
    String range = ZnodePaths.owners(Stage.GROUP) + "/t/0-3";
    create(x, "foreign-0");
    create(range, "foreign-1");

    GroupMember member = join("c1", true);
    awaitOwned(member, Map.of("t", PartitionSet.range(0, 2)));
    stage.touch("t");
    stage.awaitQuiet();
    awaitOwned(member, Map.of("t", PartitionSet.range(0, 2)));

    assertThat(stage.admin.getChildren().forPath(ZnodePaths.owners(Stage.GROUP) + "/t"))
        .containsExactlyInAnyOrder("0", "1", "x", "0-3");
    assertThat(stage.text(x)).isEqualTo("foreign-0");
    assertThat(stage.text(range)).isEqualTo("foreign-1");
    assertThat(log.messages())
        .hasSize(2) // Once per write of the topic.
        .allMatch(about(ZnodePaths.topic("t"), "not [x, -1, 01, 1.0, 2147483648, 0-3]"));
  }

  @Test
  void b105TheOriginalTakes01And1ForOnePartition() throws Exception {
    write(ZnodePaths.topic("t"), "{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[1],\"01\":[1]}}");

    GroupMember member = join("c1", false);

    awaitOwned(member, Map.of("t", PartitionSet.range(0, 2)));
    assertThat(stage.admin.getChildren().forPath(ZnodePaths.owners(Stage.GROUP) + "/t"))
        .containsExactlyInAnyOrder("0", "1");
  }

  @Test
  void b108ANameThatWouldMakeAnotherPathIsRefusedBeforeAnythingIsWritten() throws Exception {
    assertThatThrownBy(() -> join("c1", false, Subscription.copyOf(Map.of("a/b", 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'/' at position 2");

    assertThat(stage.stat(ZnodePaths.CONSUMERS)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/"})
  void b110WithoutAChrootItWorksInTheRoot(String end) throws Exception {
    GroupMember member =
        stage
            .engine(ZkEngineConfig.defaults(stage.server.getConnectString() + end))
            .join(stage.member("c1"), OwnershipListener.none());

    awaitOwned(member, Map.of("t", PartitionSet.range(0, 4)));
    assertThat(stage.admin.getChildren().forPath("/"))
        .containsExactlyInAnyOrder("brokers", "consumers", "zookeeper");
  }

  @ParameterizedTest
  @EnumSource(
      value = Profile.class,
      names = {"V1_1", "V0_8"})
  void b111AChrootThatDoesNotExistIsNamedByEveryOneOfTen(Profile profile) throws Exception {
    String connect = stage.server.getConnectString() + "/not/there";
    ZkRebalanceEngine engine =
        stage.engine(
            ZkEngineConfig.defaults(connect)
                .withProfile(profile)
                .withConnectionTimeout(Duration.ofSeconds(10)));
    List<String> failures =
        IntStream.range(0, 10)
            .parallel()
            .mapToObj(
                i -> {
                  try {
                    engine.join(stage.member("c" + i), OwnershipListener.none());
                    return "joined";
                  } catch (RuntimeException e) {
                    return e.getMessage();
                  }
                })
            .toList();

    assertThat(failures)
        .hasSize(10)
        .containsOnly("zookeeper.connect: " + connect + ": the chroot does not exist");
    assertThat(stage.admin.getChildren().forPath("/"))
        .containsExactlyInAnyOrder("brokers", "zookeeper");
  }

  @Test
  void b111AfterAReconnectEverythingIsStillInsideTheChroot() throws Exception {
    stage.admin.create().creatingParentsIfNeeded().forPath("/in/k");
    stage
        .admin
        .create()
        .creatingParentsIfNeeded()
        .forPath("/in/k/brokers/ids/1", stage.admin.getData().forPath(ZnodePaths.broker(1)));
    stage
        .admin
        .create()
        .creatingParentsIfNeeded()
        .forPath("/in/k/brokers/topics/t", stage.admin.getData().forPath(ZnodePaths.topic("t")));
    ZkRebalanceEngine engine =
        stage.engine(
            ZkEngineConfig.defaults(stage.server.getConnectString() + "/in/k")
                .withSessionTimeout(Duration.ofSeconds(9)));
    GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
    awaitOwned(member, Map.of("t", PartitionSet.range(0, 4)));

    stage.server.restart();
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.Reconnected.class) > 0);
    member.commit(Map.of(t(0), 7L)).join();

    assertThat(stage.text("/in/k/consumers/g1/offsets/t/0")).isEqualTo("7");
    assertThat(stage.admin.getChildren().forPath("/"))
        .containsExactlyInAnyOrder("brokers", "in", "zookeeper");
  }

  @Test
  void b111AChrootThatGoesAwayUnderAMemberDoesNotKeepItBusyForEver() throws Exception {
    stage.admin.create().creatingParentsIfNeeded().forPath("/in/k");
    ZkRebalanceEngine engine =
        stage.engine(
            ZkEngineConfig.defaults(stage.server.getConnectString() + "/in/k")
                .withStrict(true)
                .withConnectionTimeout(Duration.ofSeconds(10)));
    GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
    await().atMost(Stage.SETTLE).until(() -> stage.recorder.count(AttemptEnded.class) == 1);

    stage.admin.delete().deletingChildrenIfNeeded().forPath("/in/k");
    await().atMost(Stage.SETTLE).until(() -> failures("c1") > 0);

    assertThat(CompletableFuture.runAsync(member::close)).succeedsWithin(Duration.ofSeconds(20));
    assertThat(stage.admin.getChildren().forPath("/in")).isEmpty();
  }

  @Test
  void b112ARegistrationBeyondAPacketIsRefusedBeforeItIsSent() throws Exception {
    GroupMember c1 = join("c1", false);
    stage.awaitBalance(c1);
    Map<String, Integer> many = new TreeMap<>();
    IntStream.range(0, 40_000)
        .forEach(i -> many.put("topic-with-thirty-letters-%05d".formatted(i), 1));

    assertThatThrownBy(() -> join("c2", false, Subscription.copyOf(many)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageMatching(
            "/consumers/g1/ids/g1_c2: 1\\d{6} bytes \\(expected: at most 10475\\d\\d, what"
                + " jute.maxbuffer leaves for it\\)");

    assertThat(stage.recorder.count(Observation.Reconnected.class)).isZero();
    assertThat(stage.ids()).containsExactly("g1_c1");
    awaitOwned(c1, Map.of("t", PartitionSet.range(0, 4)));
  }

  @Test
  void b112ALargeRegistrationOfAnotherIsReadAndPlannedWith() throws Exception {
    create(
        id("c2"),
        "{\"version\":1,\"subscription\":{\"t\":1},\"pattern\":\"static\",\"extra\":\""
            + "x".repeat(900_000)
            + "\"}");

    GroupMember c1 = join("c1", false);

    awaitOwned(c1, Map.of("t", PartitionSet.range(0, 2)));
  }

  @Test
  void b114AnUnknownClientsOwnerNodeIsReportedAndNeverDeletedByAStrictMember() throws Exception {
    CuratorFramework foreign = stage.newClient(stage.server.getConnectString());
    Stage.occupy(foreign, t(1), "other-7f-3");
    long session = stage.stat(ZnodePaths.owner(Stage.GROUP, t(1))).getEphemeralOwner();
    long czxid = stage.stat(ZnodePaths.owner(Stage.GROUP, t(1))).getCzxid();
    try (LogCapture owners = LogCapture.of("io.rebalancer.zk.registry.OwnerNodes")) {
      GroupMember c1 = join("c1", true);
      GroupMember c2 = join("c2", true);
      awaitOwned(c2, Map.of("t", PartitionSet.range(2, 2)));
      await().atMost(Stage.SETTLE).until(() -> failures("c1") >= 6); // More than its four tries.

      assertThat(c1.assignment()).isEqualTo(Assignment.empty()); // All or nothing (D25).
      assertThat(c2.assignment()).isEqualTo(Assignment.of("t", PartitionSet.range(2, 2)));
      assertThat(owners.messages())
          .filteredOn(line -> line.contains("other-7f-3"))
          .contains(
              "WARN "
                  + ZnodePaths.owner(Stage.GROUP, t(1))
                  + ": still held by \"other-7f-3\" of ZooKeeper session 0x"
                  + Long.toHexString(session)
                  + " (expected: nobody): cannot be claimed")
          .hasSizeLessThanOrEqualTo(2); // Once by each who met it twice.
      assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, t(1))).getCzxid()).isEqualTo(czxid);

      foreign.close();

      awaitHalves(c1, c2);
      assertNobodyGaveUp();
    }
  }

  private long failures(String member) {
    return stage.recorder.of(AttemptEnded.class).stream()
        .filter(end -> end.failed() && end.member().equals(member))
        .count();
  }

  @Test
  void b114TheOriginalGivesUpOnItAndSaysWhoHoldsIt() throws Exception {
    stage.occupy(t(1), "other-7f-3");
    try (LogCapture owners = LogCapture.of("io.rebalancer.zk.registry.OwnerNodes");
        LogCapture effects = LogCapture.of("io.rebalancer.zk.runtime.ConsumerEffects")) {
      GroupMember c1 = join("c1", false);
      awaitGiveUps(1);

      assertThat(c1.assignment()).isEqualTo(Assignment.empty());
      assertThat(stage.owner(t(1))).isEqualTo("other-7f-3");
      assertThat(owners.messages())
          .singleElement()
          .asString()
          .contains("/owners/t/1: still held by \"other-7f-3\" of ZooKeeper session 0x");
      assertThat(effects.messages())
          .containsExactly(
              "WARN c1: can't rebalance after all tries; waiting for the next event: 1 claims lost");
    }
  }

  @Test
  void b114OwnersAreTakenApartFromTheRight() {
    assertThat(ThreadId.parse("a-1-0").member().value()).isEqualTo("a-1");
    assertThat(ThreadId.parse("a-10").member().value()).isEqualTo("a");
    assertThat(ThreadId.parse("other-7f-3").number()).isEqualTo(3);
  }

  /** Ticks of 500 ms: this server grants 0.5 to 10 s. */
  @ParameterizedTest
  @CsvSource({"300, 500", "3600000, 10000"})
  void b118WhatTheServerGrantsInPlaceOfWhatWasAskedIsSaidOnce(long askedMs, long grantedMs)
      throws Exception {
    try (LogCapture engineLog = LogCapture.of(ZkRebalanceEngine.class)) {
      ZkRebalanceEngine engine =
          stage.engine(
              stage
                  .config
                  .withSessionTimeout(Duration.ofMillis(askedMs))
                  .withConnectionTimeout(Duration.ofSeconds(10))
                  .withRebalance(4, Duration.ofMillis(100)));
      engine.join(stage.member("c1"), OwnershipListener.none());
      engine.join(stage.member("c2"), OwnershipListener.none());

      assertThat(engineLog.messages())
          .filteredOn(line -> line.contains("granted"))
          .containsExactly(
              "WARN zookeeper.session.timeout.ms: asked for %d ms, granted %d ms"
                  .formatted(askedMs, grantedMs));
      // Too few tries for what was asked is said at once, for what was granted now.
      assertThat(engineLog.messages())
          .filteredOn(line -> line.contains("4 x 100 ms = 400 ms"))
          .singleElement()
          .asString()
          .contains("zookeeper.session.timeout.ms, " + Math.max(askedMs, grantedMs) + " ms");
    }
  }

  @Test
  void b118ASessionTooShortToConnectInIsSaidToBeThatShort() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      ZkRebalanceEngine engine =
          stage.engine(
              ZkEngineConfig.defaults("127.0.0.1:" + silent.getLocalPort())
                  .withSessionTimeout(Duration.ofMillis(1))
                  .withConnectionTimeout(Duration.ofSeconds(1)));

      assertThatThrownBy(() -> engine.join(stage.member("c1"), OwnershipListener.none()))
          .hasMessageContaining("not reached within 1000 ms")
          .hasMessageContaining("zookeeper.session.timeout.ms: 1 ");
    }
  }

  @Test
  void b098NothingInARegistrationEndsAMembersThread() throws Exception {
    GroupMember c1 = join("c1", false);
    stage.awaitBalance(c1);
    String deep = "(".repeat(100_000) + ")".repeat(100_000);
    for (String payload :
        List.of(
            "[".repeat(100_000),
            "{\"version\":1,\"subscription\":{\"" + deep + "\":1},\"pattern\":\"white_list\"}",
            "{\"version\":1,\"subscription\":{\"t\":1e999999999},\"pattern\":\"static\"}",
            "\u0000\u0001")) {
      stage.recorder.clear();
      create(id("x"), payload);
      awaitGiveUps(1);
      assertThat(log.messages().get(log.messages().size() - 1)).hasSizeLessThan(700);
      stage.admin.delete().forPath(id("x"));
      awaitOwned(c1, Map.of("t", PartitionSet.range(0, 4)));
    }
    assertThat(IntStream.range(0, 4).mapToObj(i -> text(t(i))).collect(joining(" ")))
        .isEqualTo("g1_c1-0 g1_c1-0 g1_c1-0 g1_c1-0");
  }

  private String text(TopicPartition partition) {
    try {
      return stage.owner(partition);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
