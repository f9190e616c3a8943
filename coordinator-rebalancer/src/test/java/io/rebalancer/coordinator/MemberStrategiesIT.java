package io.rebalancer.coordinator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.coordinator.client.FirstTakesAll;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.OwnershipLedger;
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
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Strategies that divide by member, our members and unmodified consumers in one group. */
class MemberStrategiesIT {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration QUIET = Duration.ofSeconds(1);
  private static final GroupId GROUP = new GroupId("g");
  private static final Map<String, String> KAFKAS =
      Map.of(
          "sticky", StickyAssignor.class.getName(),
          "cooperative-sticky", CooperativeStickyAssignor.class.getName());

  private record Member(Supplier<Assignment> share, Runnable leave) {}

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final Map<String, Member> members = new TreeMap<>();
  private final List<CoordinatorRebalanceEngine> engines = new ArrayList<>();
  private Stage stage;

  @BeforeEach
  void start() throws Exception {
    stage = new Stage();
    stage.node = CoordinatorNode.start(stage.config(), ledger);
    stage.topic("t", 12);
  }

  @AfterEach
  void stop() throws Exception {
    members.values().forEach(member -> member.leave().run());
    engines.forEach(CoordinatorRebalanceEngine::close);
    stage.close();
  }

  private void joinOurs(String name, String strategy) {
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
    members.put(name, new Member(member::assignment, member::close));
  }

  private void joinTheirs(String name, String strategy) {
    PolledConsumer consumer =
        new PolledConsumer(
            stage.consumer(
                GROUP.value(),
                name,
                Map.of(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, KAFKAS.get(strategy))),
            name,
            List.of("t"),
            ledger);
    members.put(name, new Member(consumer::assignment, consumer::close));
  }

  private void leave(String name) {
    members.remove(name).leave().run();
  }

  private Map<String, Assignment> shares() {
    return members.entrySet().stream()
        .collect(toMap(Map.Entry::getKey, member -> member.getValue().share().get()));
  }

  /** Every partition once, all loads alike, and no further generation. */
  private Map<TopicPartition, String> settled() {
    int each = 12 / members.size();
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(shares().values())
                    .as("%s", shares())
                    .allSatisfy(share -> assertThat(share.size()).isEqualTo(each)));
    int settledIn = generation();
    await().during(QUIET).atMost(DEADLINE).until(() -> generation() == settledIn);
    Map<TopicPartition, String> owners = new HashMap<>();
    shares()
        .forEach(
            (member, share) ->
                share.stream().forEach(p -> assertThat(owners.put(p, member)).isNull()));
    assertThat(owners).hasSize(12);
    return owners;
  }

  private int generation() {
    return ledger.entries().stream()
        .filter(entry -> entry.kind() == LedgerEntry.Kind.GRANTED)
        .mapToInt(entry -> entry.token().generation())
        .max()
        .orElse(0);
  }

  private String leader() throws Exception {
    String stored = new String(stage.admin.getData().forPath("/rebalancer/groups/g"), UTF_8);
    return stored.replaceFirst("(?s).*\"leader\":\"(.)-.*", "$1");
  }

  /** Of those whose owner is still there. */
  private long moves(Map<TopicPartition, String> before, Map<TopicPartition, String> after) {
    return before.entrySet().stream()
        .filter(owned -> members.containsKey(owned.getValue()))
        .filter(owned -> !owned.getValue().equals(after.get(owned.getKey())))
        .count();
  }

  @ParameterizedTest
  @CsvSource({
    "sticky, true",
    "sticky, false",
    "cooperative-sticky, true",
    "cooperative-sticky, false"
  })
  void aMixedGroupMovesWhatItMustWhoeverLeads(String strategy, boolean oursLead) throws Exception {
    join("a", strategy, oursLead);
    settled();
    join("b", strategy, !oursLead);
    join("c", strategy, oursLead);
    join("d", strategy, !oursLead);
    Map<TopicPartition, String> four = settled();
    assertThat(leader()).isEqualTo("a");

    leave("b");
    Map<TopicPartition, String> three = settled();
    assertThat(moves(four, three)).isZero();

    join("e", strategy, !oursLead);
    Map<TopicPartition, String> again = settled();
    assertThat(leader()).isEqualTo("a");
    assertThat(moves(three, again)).isEqualTo(3);

    leave("a");
    Map<TopicPartition, String> withoutFirst = settled();
    assertThat(moves(again, withoutFirst)).isZero();

    join("f", strategy, oursLead);
    assertThat(moves(withoutFirst, settled())).isEqualTo(3);
    assertThat(ledger.check().violations()).isEmpty();
  }

  private void join(String name, String strategy, boolean ours) {
    if (ours) {
      joinOurs(name, strategy);
    } else {
      joinTheirs(name, strategy);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "cooperative-sticky, true, false",
    "cooperative-sticky, false, true",
    "uniform, true, true",
    "weighted, true, true"
  })
  void cooperativeMembersNeverStopWhatTheyKeep(
      String strategy, boolean oursLead, boolean oursFollow) {
    join("a", strategy, oursLead);
    settled();
    join("b", strategy, oursFollow);
    join("c", strategy, oursLead);
    Map<TopicPartition, String> three = settled();
    int before = ledger.entries().size();

    join("d", strategy, oursFollow);

    Map<TopicPartition, String> four = settled();
    assertThat(moves(three, four)).isEqualTo(3);
    assertThat(ledger.entries().stream().skip(before))
        .filteredOn(entry -> entry.kind() != LedgerEntry.Kind.GRANTED)
        .flatExtracting(
            entry -> entry.partitions().stream().map(p -> entry.kind() + " " + p).toList())
        .containsExactlyInAnyOrderElementsOf(
            three.keySet().stream()
                .filter(p -> !three.get(p).equals(four.get(p)))
                .flatMap(p -> Stream.of("REVOKED " + p, "ASSIGNED " + p))
                .toList());
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void onlyMembersThatHaveToLetGoJoinASecondTime() {
    joinOurs("a", "cooperative-sticky");
    settled();
    joinOurs("b", "cooperative-sticky");
    settled();

    assertThat(ledger.all(Observation.AttemptStarted.class))
        .filteredOn(started -> started.trigger().equals("withheld"))
        .extracting(Observation.AttemptStarted::member)
        .containsExactly("a");
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void aGroupDividesByAnAssignorThatWasFoundAsAService() {
    Assignment all = Assignment.of("t", PartitionSet.range(0, 12));
    joinOurs("b", FirstTakesAll.NAME);
    await().atMost(DEADLINE).untilAsserted(() -> assertThat(shares()).containsEntry("b", all));

    joinOurs("a", FirstTakesAll.NAME);

    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> assertThat(shares()).isEqualTo(Map.of("a", all, "b", Assignment.empty())));
    assertThat(ledger.check().violations()).isEmpty();
  }
}
