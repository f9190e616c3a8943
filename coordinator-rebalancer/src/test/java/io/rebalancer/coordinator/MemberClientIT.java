package io.rebalancer.coordinator;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.OwnershipLedger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Our member client and our coordinator, with unmodified consumers among the members. */
class MemberClientIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final GroupId GROUP = new GroupId("g");

  private final OwnershipLedger ledger = new OwnershipLedger();
  private Stage stage;
  private CoordinatorRebalanceEngine engine;

  @BeforeEach
  void start() throws Exception {
    stage = new Stage();
    startCoordinator(0);
    CoordinatorClientConfig config =
        CoordinatorClientConfig.of(List.of(stage.node.address()))
            .withSession(Duration.ofSeconds(6), Duration.ofMillis(200));
    engine = new CoordinatorRebalanceEngine(config, ledger);
  }

  @AfterEach
  void stop() throws Exception {
    engine.close();
    stage.close();
  }

  private void startCoordinator(int port) {
    CoordinatorConfig config =
        CoordinatorConfig.of(stage.zookeeper.getConnectString(), new HostPort("127.0.0.1", port))
            .withZookeeperSessionTimeout(Stage.ZOOKEEPER_SESSION)
            .withGroupInitialRebalanceDelay(Duration.ofMillis(100));
    stage.node = CoordinatorNode.start(config, ledger);
  }

  private CoordinatedMember join(String name, int streams) {
    return engine.join(
        new MemberConfig(GROUP, name, Subscription.copyOf(Map.of("t", streams))),
        OwnershipListener.none());
  }

  private static void awaitThat(BooleanSupplier condition) {
    await().atMost(DEADLINE).until(condition::getAsBoolean);
  }

  private static int owned(Collection<CoordinatedMember> members) {
    return members.stream().mapToInt(member -> member.assignment().size()).sum();
  }

  private static Map<MemberId, Assignment> shares(Collection<CoordinatedMember> members) {
    return members.stream()
        .collect(toMap(member -> member.id().orElseThrow(), CoordinatedMember::assignment));
  }

  private String phase() {
    List<Observation.PhaseChanged> moves = ledger.all(Observation.PhaseChanged.class);
    return moves.isEmpty() ? "" : moves.get(moves.size() - 1).to();
  }

  @Test
  void twentyMembersSettleExactlyAsRangeSaysOnThreadsThatDoNotGrowWithThem() throws Exception {
    stage.topic("t", 100);
    List<CoordinatedMember> members = new ArrayList<>();
    members.add(join("m0", 1));
    awaitThat(() -> owned(members) == 100);
    Set<String> threadsOfOne = threads();

    IntStream.range(1, 20).forEach(i -> members.add(join("m" + i, 1 + i % 3)));

    awaitThat(() -> members.stream().allMatch(member -> member.id().isPresent()));
    Map<MemberId, Subscription> group =
        IntStream.range(0, 20)
            .boxed()
            .collect(
                toMap(
                    i -> members.get(i).id().orElseThrow(),
                    i -> Subscription.copyOf(Map.of("t", 1 + i % 3))));
    Map<MemberId, Assignment> expected =
        new RangeAssignor().assign(Map.of("t", PartitionSet.range(0, 100)), group);
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(shares(members)).isEqualTo(expected));
    assertThat(threads()).hasSizeLessThanOrEqualTo(6).containsAll(threadsOfOne);
    assertThat(ledger.check().violations()).isEmpty();
  }

  /** Those of the engine, by their names: two for I/O and up to four for listeners. */
  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("rebalancer-member"))
        .collect(toSet());
  }

  @Test
  void e62CloseLeavesTheGroupEmptyAtOnce() throws Exception {
    stage.topic("t", 4);
    CoordinatedMember a = join("a", 1);
    awaitThat(() -> a.assignment().size() == 4);

    a.close();

    awaitThat(() -> phase().equals("Empty"));
    assertThat(ledger.all(Observation.PhaseChanged.class))
        .extracting(Observation.PhaseChanged::reason)
        .doesNotContain("MEMBER_EXPIRED");
  }

  @Test
  void membersOutliveARestartOfTheirCoordinator() throws Exception {
    stage.topic("t", 12);
    List<CoordinatedMember> members = List.of(join("a", 1), join("b", 1), join("c", 1));
    awaitThat(() -> members.stream().allMatch(member -> member.assignment().size() == 4));
    int port = stage.node.address().getPort();

    stage.node.close();
    startCoordinator(port);
    stage.topic("t", 15);

    awaitThat(() -> members.stream().allMatch(member -> member.assignment().size() == 5));
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void everyAttemptThatBeganEndedAndTheGrantsAreWhatMembersReceived() throws Exception {
    stage.topic("t", 10);
    CoordinatedMember a = join("a", 1);
    awaitThat(() -> a.assignment().size() == 10);
    CoordinatedMember b = join("b", 1);
    awaitThat(() -> a.assignment().size() == 5 && b.assignment().size() == 5);

    engine.close();

    assertThat(ledger.all(Observation.AttemptEnded.class))
        .hasSameSizeAs(ledger.all(Observation.AttemptStarted.class));
    assertThat(ledger.all(Observation.AttemptStarted.class))
        .filteredOn(started -> started.member().equals("a"))
        .extracting(Observation.AttemptStarted::trigger)
        .startsWith("join", "told");
    assertThat(lines(LedgerEntry.Kind.ASSIGNED)).isEqualTo(lines(LedgerEntry.Kind.GRANTED));
    assertThat(lines(LedgerEntry.Kind.LOST)).isEmpty();
  }

  private Set<String> lines(LedgerEntry.Kind kind) {
    return ledger.entries().stream()
        .filter(entry -> entry.kind() == kind)
        .map(e -> e.member() + " " + e.partitions() + " @" + e.token().generation())
        .collect(toSet());
  }

  @Test
  void anUnmodifiedConsumerFollowsOurGroupLeader() throws Exception {
    stage.topic("t", 9);
    CoordinatedMember ours = join("a", 2);
    awaitThat(() -> ours.assignment().size() == 9);

    try (KafkaConsumer<byte[], byte[]> theirs = consumer()) {
      theirs.subscribe(List.of("t"));

      awaitPolling(theirs, () -> theirs.assignment().size() == 3 && ours.assignment().size() == 6);
      assertThat(union(ours, theirs)).hasSize(9);
    }
    awaitThat(() -> ours.assignment().size() == 9);
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void ourMemberFollowsAnUnmodifiedConsumerThatLeads() throws Exception {
    stage.topic("t", 9);
    try (KafkaConsumer<byte[], byte[]> theirs = consumer()) {
      theirs.subscribe(List.of("t"));
      awaitPolling(theirs, () -> theirs.assignment().size() == 9);

      CoordinatedMember ours = join("a", 2);

      awaitPolling(
          theirs,
          () ->
              theirs.assignment().size() + ours.assignment().size() == 9
                  && ours.assignment().size() >= 4);
      assertThat(union(ours, theirs)).hasSize(9);
      assertThat(ledger.check().violations()).isEmpty();
    }
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return stage.consumer(
        GROUP.value(),
        "k",
        Map.of(
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            org.apache.kafka.clients.consumer.RangeAssignor.class.getName()));
  }

  private static Set<String> union(CoordinatedMember ours, KafkaConsumer<byte[], byte[]> theirs) {
    Set<String> union = new HashSet<>();
    ours.assignment().stream().forEach(partition -> union.add(partition.toString()));
    theirs.assignment().stream().map(TopicPartition::toString).forEach(union::add);
    return union;
  }

  private static void awaitPolling(
      KafkaConsumer<byte[], byte[]> consumer, BooleanSupplier condition) {
    await()
        .atMost(DEADLINE)
        .pollInSameThread()
        .until(
            () -> {
              consumer.poll(Duration.ofMillis(20));
              return condition.getAsBoolean();
            });
  }
}
