package io.rebalancer.coordinator;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.coordinator.metrics.CoordinatorMetrics;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our members and an unmodified consumer in one group whose coordinator assigns. */
class ServerAssignedMembersIT {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration DELAY = Duration.ofSeconds(4);
  private static final GroupId GROUP = new GroupId("g");

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final Map<String, Supplier<Assignment>> members = new TreeMap<>();
  private final Map<String, CoordinatedMember> ours = new TreeMap<>();
  private final List<CoordinatorRebalanceEngine> engines = new ArrayList<>();
  private Stage stage;

  @BeforeEach
  void start() throws Exception {
    stage = new Stage();
    stage.topic("t", 6);
    stage.node =
        CoordinatorNode.start(
            stage.config().withGroupAssignment(GroupAssignmentConfig.server("uniform", DELAY)),
            ledger,
            registry);
  }

  @AfterEach
  void stop() throws Exception {
    engines.forEach(CoordinatorRebalanceEngine::close);
    stage.close();
  }

  private CoordinatedMember join(String name, String strategy) {
    CoordinatorRebalanceEngine engine =
        new CoordinatorRebalanceEngine(
            CoordinatorClientConfig.of(List.of(stage.node.address()))
                .withSession(Duration.ofSeconds(6), Duration.ofMillis(200))
                .withAssignmentStrategy(strategy),
            ledger);
    engines.add(engine);
    CoordinatedMember member =
        engine.join(
            new MemberConfig(GROUP, name, Subscription.copyOf(Map.of("t", 1))),
            OwnershipListener.none());
    members.put(name, member::assignment);
    ours.put(name, member);
    return member;
  }

  private KafkaConsumer<byte[], byte[]> consumer(String name) {
    return stage.consumer(
        GROUP.value(),
        name,
        Map.of(
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            CooperativeStickyAssignor.class.getName()));
  }

  private PolledConsumer poll(String name, KafkaConsumer<byte[], byte[]> consumer) {
    PolledConsumer polled = new PolledConsumer(consumer, name, List.of("t"), ledger);
    members.put(name, polled::assignment);
    return polled;
  }

  private Map<String, Assignment> shares() {
    return members.entrySet().stream()
        .collect(toMap(Map.Entry::getKey, member -> member.getValue().get()));
  }

  /** All partitions, as many for each. */
  private Map<String, Assignment> settled() {
    int each = 6 / members.size();
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(shares().values())
                    .as("%s", shares())
                    .allSatisfy(share -> assertThat(share.size()).isEqualTo(each)));
    return shares();
  }

  private long syncs() {
    Timer timer = registry.find(CoordinatorMetrics.REQUESTS).tag("request", "SyncGroup").timer();
    return timer == null ? 0 : timer.count();
  }

  private static long syncs(KafkaConsumer<?, ?> consumer) {
    return consumer.metrics().entrySet().stream()
        .filter(metric -> metric.getKey().name().equals("sync-total"))
        .mapToLong(metric -> ((Double) metric.getValue().metricValue()).longValue())
        .sum();
  }

  /** What members have said since, but for what the coordinator granted. */
  private List<String> history(int from) {
    return ledger.entries().stream()
        .skip(from)
        .filter(entry -> entry.kind() != LedgerEntry.Kind.GRANTED)
        .flatMap(
            entry ->
                entry.partitions().stream().map(p -> entry.member() + " " + entry.kind() + " " + p))
        .toList();
  }

  private static Map<TopicPartition, String> owners(Map<String, Assignment> shares) {
    Map<TopicPartition, String> owners = new HashMap<>();
    shares.forEach((name, share) -> share.stream().forEach(p -> owners.put(p, name)));
    return owners;
  }

  private static List<String> moves(
      Map<TopicPartition, String> before, Map<TopicPartition, String> after) {
    return before.keySet().stream()
        .filter(p -> !before.get(p).equals(after.get(p)))
        .flatMap(p -> Stream.of(before.get(p) + " REVOKED " + p, after.get(p) + " ASSIGNED " + p))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform", "sticky", "cooperative-sticky", "range"})
  void whoeverWasLeftWithNothingIsGivenPartitionsAgain(String strategy) throws Exception {
    CoordinatedMember only = join("a", strategy);
    settled();

    stage.admin.delete().deletingChildrenIfNeeded().forPath(ZnodePaths.topic("t"));
    await().atMost(DEADLINE).until(() -> only.assignment().isEmpty());
    stage.topic("t", 6);

    settled();
  }

  @Test
  void membersOfOursDoNotSyncAndOnlyWhatMustMoveMoves() {
    join("a", "uniform");
    join("b", "sticky");
    Map<TopicPartition, String> two = owners(settled());
    assertThat(syncs()).isZero();
    int joined = ledger.entries().size();

    KafkaConsumer<byte[], byte[]> theirs = consumer("c");
    PolledConsumer polled = poll("c", theirs);
    Map<TopicPartition, String> three = owners(settled());
    await().atMost(DEADLINE).until(() -> history(joined).size() == 4);

    assertThat(moves(two, three)).hasSize(4);
    assertThat(history(joined)).containsExactlyInAnyOrderElementsOf(moves(two, three));
    int left = ledger.entries().size();

    members.remove("b");
    ours.get("b").close();
    Map<TopicPartition, String> without = owners(settled());

    assertThat(moves(three, without)).hasSize(4);
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(history(left))
                    .containsExactlyInAnyOrderElementsOf(moves(three, without)));
    assertThat(syncs()).isPositive().isEqualTo(syncs(theirs));
    assertThat(ledger.check().violations()).isEmpty();
    polled.close();
  }

  @Test
  void e51_partitionsOfAVanishedMemberWaitForItAndTheOthersNeverStop() {
    CoordinatedMember first = join("c1", "uniform");
    CoordinatedMember second = join("c2", "uniform");
    PolledConsumer third = poll("c3", consumer("c3"));
    Map<String, Assignment> before = settled();
    assertThat(first.scheduledRebalance()).isEmpty();
    int from = ledger.entries().size();

    second.crash();
    await().atMost(DEADLINE).until(() -> first.scheduledRebalance().isPresent());
    Duration missed = first.scheduledRebalance().orElseThrow();
    CoordinatedMember back = join("c2", "uniform");
    await().atMost(DEADLINE).until(() -> back.scheduledRebalance().isPresent());
    Duration told = back.scheduledRebalance().orElseThrow();

    assertThat(missed).isLessThanOrEqualTo(DELAY);
    assertThat(told).isLessThan(missed);
    assertThat(back.assignment()).isEqualTo(Assignment.empty());

    await().atMost(DEADLINE).untilAsserted(() -> assertThat(shares()).isEqualTo(before));
    await().atMost(DEADLINE).until(() -> first.scheduledRebalance().isEmpty());
    assertThat(history(from)).noneMatch(line -> line.startsWith("c1") || line.startsWith("c3"));
    assertThat(ledger.check().violations()).isEmpty();
    third.close();
  }
}
