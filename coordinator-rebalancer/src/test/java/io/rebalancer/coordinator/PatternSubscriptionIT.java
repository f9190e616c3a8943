package io.rebalancer.coordinator;

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
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that subscribe by {@code t.*}, on a real coordinator, while topics come and go. */
class PatternSubscriptionIT {

  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final GroupId GROUP = new GroupId("g");

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final List<CoordinatedMember> members = new ArrayList<>();
  private final List<CoordinatorRebalanceEngine> engines = new ArrayList<>();
  private Stage stage;

  @BeforeEach
  void start() throws Exception {
    stage = new Stage();
    stage.topic("t1", 4);
    stage.topic("u", 3);
    stage.topic("__consumer_offsets", 5);
  }

  @AfterEach
  void stop() throws Exception {
    engines.forEach(CoordinatorRebalanceEngine::close);
    stage.close();
  }

  private void coordinate(GroupAssignmentConfig assignment) {
    stage.node =
        CoordinatorNode.start(stage.config().withGroupAssignment(assignment), ledger, registry);
  }

  private CoordinatedMember join(String name, String strategy, TopicFilter filter) {
    CoordinatorRebalanceEngine engine =
        new CoordinatorRebalanceEngine(
            CoordinatorClientConfig.of(List.of(stage.node.address()))
                .withSession(Duration.ofSeconds(6), Duration.ofMillis(200))
                .withMetadataMaxAge(Duration.ofMillis(300))
                .withAssignmentStrategy(strategy),
            ledger);
    engines.add(engine);
    CoordinatedMember member =
        engine.join(
            new MemberConfig(GROUP, name, new WildcardSubscription(filter, 1)),
            OwnershipListener.none());
    members.add(member);
    return member;
  }

  private CoordinatedMember join(String name, String strategy) {
    return join(name, strategy, TopicFilter.whiteList("t.*"));
  }

  private Assignment owned() {
    return members.stream()
        .map(CoordinatedMember::assignment)
        .reduce(Assignment.empty(), Assignment::plus);
  }

  private static Assignment topic(String name, int partitions) {
    return Assignment.of(name, PartitionSet.range(0, partitions));
  }

  /** All of it, and as much for each member. */
  private void settled(Assignment all) {
    await()
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(owned()).isEqualTo(all);
              assertThat(members)
                  .allSatisfy(
                      member ->
                          assertThat(member.assignment().size())
                              .isEqualTo(all.size() / members.size()));
            });
    allHaveLooked();
  }

  /** Why rebalances have begun, but for the first so many. */
  private List<String> rebalances(String phase, int but) {
    return ledger.all(Observation.PhaseChanged.class).stream()
        .filter(change -> change.to().equals(phase))
        .map(Observation.PhaseChanged::reason)
        .skip(but)
        .toList();
  }

  /** Every member has looked for topics again since, at least once. */
  private void allHaveLooked() {
    long asked = listings();
    await().atMost(DEADLINE).until(() -> listings() >= asked + 4L * members.size());
  }

  private long listings() {
    Timer timer = registry.find(CoordinatorMetrics.REQUESTS).tag("request", "Metadata").timer();
    return timer == null ? 0 : timer.count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"range", "sticky", "cooperative-sticky", "uniform"})
  void aTopicThatMatchesIsOneRebalanceForAllWhenItComesAndOneWhenItGoes(String strategy)
      throws Exception {
    coordinate(GroupAssignmentConfig.CLASSIC);
    join("a", strategy);
    join("b", strategy);
    settled(topic("t1", 4));
    int before = rebalances("PreparingRebalance", 0).size();

    stage.topic("u2", 2);
    allHaveLooked();
    assertThat(rebalances("PreparingRebalance", before)).as("u2 does not match").isEmpty();

    stage.topic("t2", 2);
    settled(topic("t1", 4).plus(topic("t2", 2)));
    assertThat(rebalances("PreparingRebalance", before)).containsExactly("SUBSCRIPTION_CHANGE");

    stage.admin.delete().forPath(ZnodePaths.topic("t2"));
    settled(topic("t1", 4));
    assertThat(rebalances("PreparingRebalance", before + 1))
        .as("whoever is first, the coordinator or a member")
        .hasSize(1)
        .isSubsetOf("TOPIC_CHANGE", "SUBSCRIPTION_CHANGE");
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void whereTheCoordinatorAssignsEachMemberThatNoticesIsAnAssignment() throws Exception {
    coordinate(GroupAssignmentConfig.server("uniform", Duration.ZERO));
    join("a", "uniform");
    join("b", "range");
    settled(topic("t1", 4));
    int before = rebalances("Assigning", 0).size();

    stage.topic("u2", 2);
    allHaveLooked();
    assertThat(rebalances("Assigning", before)).as("u2 does not match").isEmpty();

    stage.topic("t2", 2);
    settled(topic("t1", 4).plus(topic("t2", 2)));
    assertThat(rebalances("Assigning", before))
        .as("one for each, or for both if they come together")
        .hasSizeBetween(1, 2)
        .containsOnly("SUBSCRIPTION_CHANGE");
    int more = rebalances("Assigning", 0).size();

    stage.admin.delete().forPath(ZnodePaths.topic("t2"));
    settled(topic("t1", 4));
    assertThat(rebalances("Assigning", more))
        .hasSizeBetween(1, 3)
        .isSubsetOf("TOPIC_CHANGE", "SUBSCRIPTION_CHANGE");
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void aMemberThatMatchesNothingWaitsForATopic() throws Exception {
    coordinate(GroupAssignmentConfig.CLASSIC);
    CoordinatedMember member = join("a", "range", TopicFilter.blackList("t1|u"));
    allHaveLooked();
    assertThat(member.id()).isPresent();
    assertThat(member.assignment()).isEqualTo(Assignment.empty());

    stage.topic("v", 2);

    settled(topic("v", 2));
  }

  @Test
  void anUnmodifiedConsumerByPatternSharesInTheGroupAndNeitherMatchesInternalTopics()
      throws Exception {
    coordinate(GroupAssignmentConfig.CLASSIC);
    Assignment all = topic("t1", 4).plus(topic("u", 3));
    CoordinatedMember ours = join("a", "range", TopicFilter.whiteList(".*"));
    settled(all);

    try (KafkaConsumer<byte[], byte[]> theirs =
        stage.consumer(
            GROUP.value(),
            "k",
            Map.of(
                ConsumerConfig.METADATA_MAX_AGE_CONFIG,
                300,
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                RangeAssignor.class.getName()))) {
      theirs.subscribe(Pattern.compile(".*"));
      awaitPolling(theirs, () -> together(ours, theirs).equals(all) && halved(ours, all));

      stage.topic("t2", 2);

      Assignment more = all.plus(topic("t2", 2));
      awaitPolling(theirs, () -> together(ours, theirs).equals(more) && halved(ours, more));
    }
  }

  private static boolean halved(CoordinatedMember ours, Assignment all) {
    return ours.assignment().size() >= all.size() / 2 && ours.assignment().size() < all.size();
  }

  private static Assignment together(CoordinatedMember ours, KafkaConsumer<byte[], byte[]> theirs) {
    return ours.assignment()
        .plus(
            Assignment.ofPartitions(
                theirs.assignment().stream()
                    .map(p -> new TopicPartition(p.topic(), p.partition()))
                    .toList()));
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
