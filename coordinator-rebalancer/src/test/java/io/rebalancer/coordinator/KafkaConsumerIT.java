package io.rebalancer.coordinator;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
      java.util.function.BooleanSupplier condition, KafkaConsumer<byte[], byte[]>... consumers) {
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
