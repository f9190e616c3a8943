package io.rebalancer.coordinator;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Unmodified consumers of kafka-clients 4.4.0. */
class KafkaConsumerIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  @Test
  void twoConsumersShareATopicCommitReadBackAndLeaveAnEmptyGroup() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      stage.topic("t", 4);
      try (var one = stage.consumer("g", "c1", Map.of());
          var two = stage.consumer("g", "c2", Map.of())) {
        one.subscribe(List.of("t"));
        awaitPolling(() -> one.assignment().equals(partitions(0, 4)), one);

        two.subscribe(List.of("t"));
        awaitPolling(() -> one.assignment().size() == 2 && two.assignment().size() == 2, one, two);
        Set<TopicPartition> both = new HashSet<>(one.assignment());
        both.addAll(two.assignment());
        assertThat(both).isEqualTo(partitions(0, 4));

        TopicPartition mine = one.assignment().iterator().next();
        one.commitSync(Map.of(mine, new OffsetAndMetadata(42, "note")));
        assertThat(two.committed(Set.of(mine)))
            .isEqualTo(Map.of(mine, new OffsetAndMetadata(42, "note")));
      }
      await().atMost(DEADLINE).untilAsserted(() -> assertThat(lastPhase(stage)).isEqualTo("Empty"));
      assertThat(grants(stage)).contains("c1 t:0-3 @1", "c1 t:0-1 @2", "c2 t:2-3 @2");
    }
  }

  @Test
  void e50_cooperativeConsumersKeepWhatTheyKeep() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      stage.topic("t", 4);
      Map<String, Object> cooperative =
          Map.of(
              ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
              CooperativeStickyAssignor.class.getName());
      List<Integer> revoked = new CopyOnWriteArrayList<>();
      try (var one = stage.consumer("g", "c1", cooperative);
          var two = stage.consumer("g", "c2", cooperative)) {
        one.subscribe(
            List.of("t"),
            new ConsumerRebalanceListener() {
              @Override
              public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                revoked.add(partitions.size());
              }

              @Override
              public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
            });
        awaitPolling(() -> one.assignment().size() == 4, one);
        two.subscribe(List.of("t"));
        awaitPolling(() -> one.assignment().size() == 2 && two.assignment().size() == 2, one, two);

        assertThat(revoked).filteredOn(size -> size > 0).containsExactly(2);
      }
    }
  }

  @Test
  void e34_addedPartitionsAreFoundByForeignGroupLeadersThemselves() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      stage.topic("t", 2);
      try (var one =
          stage.consumer("g", "c1", Map.of(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 300))) {
        one.subscribe(List.of("t"));
        awaitPolling(() -> one.assignment().size() == 2, one);

        stage.topic("t", 3);
        awaitPolling(() -> one.assignment().size() == 3, one);

        assertThat(stage.observed(Observation.PhaseChanged.class))
            .extracting(Observation.PhaseChanged::reason)
            .contains("LEADER_REJOIN")
            .doesNotContain("TOPIC_CHANGE");
      }
    }
  }

  @Test
  void aTopicThatMatchesAPatternLaterIsFoundByTheGroupLeadersOwnRejoin() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      stage.topic("t-1", 2);
      try (var one =
          stage.consumer("g", "c1", Map.of(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 300))) {
        one.subscribe(Pattern.compile("t-.*"));
        awaitPolling(() -> one.assignment().size() == 2 && lastPhase(stage).equals("Stable"), one);
        int before = stage.observed(Observation.PhaseChanged.class).size();

        stage.topic("other", 1);
        stage.topic("t-2", 2);
        awaitPolling(() -> one.assignment().size() == 4 && lastPhase(stage).equals("Stable"), one);

        assertThat(one.assignment()).extracting(TopicPartition::topic).doesNotContain("other");
        List<Observation.PhaseChanged> moves = stage.observed(Observation.PhaseChanged.class);
        assertThat(moves.subList(before, moves.size()))
            .extracting(moved -> moved.to() + " " + moved.generation())
            .containsExactly("PreparingRebalance 1", "CompletingRebalance 2", "Stable 2");
        assertThat(moves.get(before).reason()).isEqualTo("SUBSCRIPTION_CHANGE");
      }
    }
  }

  @Test
  void e40_b043_aStaticGroupLeaderThatRestartsKeepsItsPartAndStillWatchesTopics() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      stage.topic("t", 1);
      Map<String, Object> first = staticMember("i1");
      try (var two = stage.consumer("g", "c2", staticMember("i2"))) {
        try (var one = stage.consumer("g", "c1", first)) {
          one.subscribe(List.of("t"));
          awaitPolling(() -> one.assignment().size() == 1, one);
          two.subscribe(List.of("t"));
          awaitPolling(() -> lastPhase(stage).equals("Stable") && generation(stage) == 2, one, two);
          awaitPolling(() -> one.assignment().size() == 1, one, two);
        }
        int moves = stage.observed(Observation.PhaseChanged.class).size();
        try (var again = stage.consumer("g", "c1", first)) {
          again.subscribe(List.of("t"));
          awaitPolling(() -> again.assignment().size() == 1, again, two);
          assertThat(stage.observed(Observation.PhaseChanged.class)).hasSize(moves);

          stage.topic("t", 4);
          awaitPolling(
              () -> again.assignment().size() == 2 && two.assignment().size() == 2, again, two);
          assertThat(generation(stage)).isEqualTo(3);
        }
      }
    }
  }

  @Test
  void aServerAssignedGroupOfEagerAndCooperativeConsumersNeedsNoGroupLeader() throws Exception {
    try (Stage stage =
        Stage.withCoordinator(GroupAssignmentConfig.server("uniform", Duration.ZERO))) {
      stage.topic("t", 6);
      Map<String, Object> cooperative =
          Map.of(
              ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
              CooperativeStickyAssignor.class.getName());
      try (var one = stage.consumer("g", "c1", cooperative);
          var two = stage.consumer("g", "c2", Map.of())) {
        one.subscribe(List.of("t"));
        awaitPolling(() -> one.assignment().size() == 6, one);
        Set<TopicPartition> all = Set.copyOf(one.assignment());
        two.subscribe(List.of("t"));
        awaitPolling(() -> one.assignment().size() == 3 && two.assignment().size() == 3, one, two);
        Set<TopicPartition> kept = Set.copyOf(one.assignment());

        try (var three = stage.consumer("g", "c3", cooperative)) {
          three.subscribe(List.of("t"));
          awaitPolling(
              () -> one.assignment().size() == 2 && three.assignment().size() == 2,
              one,
              two,
              three);
          assertThat(kept).containsAll(one.assignment());
          awaitPolling(() -> lastPhase(stage).equals("Stable"), one, two, three);
          two.commitSync(Map.of(two.assignment().iterator().next(), new OffsetAndMetadata(3)));
        }
        awaitPolling(() -> one.assignment().size() + two.assignment().size() == 6, one, two);
        assertThat(one.assignment()).hasSize(3);
        stage.topic("t", 8);
        awaitPolling(() -> one.assignment().size() == 4 && two.assignment().size() == 4, one, two);
        assertThat(all).hasSize(6);
      }
      assertThat(stage.observed(Observation.PhaseChanged.class))
          .extracting(Observation.PhaseChanged::to)
          .doesNotContain("PreparingRebalance", "CompletingRebalance");
      assertThat(
              stage.observed(Observation.PhaseChanged.class).stream()
                  .filter(moved -> moved.reason().equals("TOPIC_CHANGE")))
          .hasSize(1);
    }
  }

  private static Map<String, Object> staticMember(String instance) {
    return Map.of(
        ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
        instance,
        ConsumerConfig.METADATA_MAX_AGE_CONFIG,
        300);
  }

  private static int generation(Stage stage) {
    List<Observation.PhaseChanged> moves = stage.observed(Observation.PhaseChanged.class);
    return moves.get(moves.size() - 1).generation();
  }

  private static String lastPhase(Stage stage) {
    List<Observation.PhaseChanged> moves = stage.observed(Observation.PhaseChanged.class);
    return moves.get(moves.size() - 1).to();
  }

  private static List<String> grants(Stage stage) {
    return stage.observed(Observation.Ownership.class).stream()
        .map(Observation.Ownership::entry)
        .filter(entry -> entry.kind() == LedgerEntry.Kind.GRANTED)
        .map(e -> e.member() + " " + e.partitions() + " @" + e.token().generation())
        .toList();
  }

  private static Set<TopicPartition> partitions(int from, int to) {
    return PartitionSet.range(from, to - from).stream()
        .mapToObj(p -> new TopicPartition("t", p))
        .collect(toSet());
  }

  @SafeVarargs
  private static void awaitPolling(
      BooleanSupplier condition, KafkaConsumer<byte[], byte[]>... consumers) {
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(1))
        .pollInSameThread()
        .until(
            () -> {
              for (var consumer : consumers) {
                consumer.poll(Duration.ofMillis(20));
              }
              return condition.getAsBoolean();
            });
  }
}
