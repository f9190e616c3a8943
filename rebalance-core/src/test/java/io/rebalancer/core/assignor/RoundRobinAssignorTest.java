package io.rebalancer.core.assignor;

import static io.rebalancer.core.assignor.RoundRobinAssignor.Release.V0_8_2;
import static io.rebalancer.core.assignor.RoundRobinAssignor.Release.V1_0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RoundRobinAssignorTest {

  private static final MemberId C1 = new MemberId("C1");
  private static final MemberId C2 = new MemberId("C2");

  @Test
  void e04_partitionsAreDealtInTheOrderGiven() {
    Subscription two = Subscription.copyOf(Map.of("T1", 2));
    List<TopicPartition> order =
        Stream.of(5, 3, 0, 8, 2, 1, 4, 7, 6, 9).map(p -> new TopicPartition("T1", p)).toList();

    var shares = RoundRobinAssignor.deal(order, Map.of(C1, two, C2, two));

    assertThat(shares)
        .containsExactly(
            Map.entry(new ThreadId(C1, 0), Assignment.of("T1", PartitionSet.of(5, 2, 6))),
            Map.entry(new ThreadId(C1, 1), Assignment.of("T1", PartitionSet.of(3, 1, 9))),
            Map.entry(new ThreadId(C2, 0), Assignment.of("T1", PartitionSet.of(0, 4))),
            Map.entry(new ThreadId(C2, 1), Assignment.of("T1", PartitionSet.of(8, 7))));
  }

  @Test
  void e05_unequalStreamsOrSubscriptionsAreRefusedByTheOldReleaseWithBothPreconditions() {
    var oldRelease = new RoundRobinAssignor(V0_8_2);
    var unequalStreams =
        Map.of(
            C1,
            Subscription.copyOf(Map.of("t", 1, "u", 2)),
            C2,
            Subscription.copyOf(Map.of("t", 1, "u", 1)));
    var unequalTopics =
        Map.of(
            C1,
            Subscription.copyOf(Map.of("t", 1, "u", 1)),
            C2,
            Subscription.copyOf(Map.of("t", 1)));

    for (var members : List.of(unequalStreams, unequalTopics)) {
      assertThatThrownBy(() -> oldRelease.assign(Map.of(), members))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("same topics")
          .hasMessageContaining("same number of streams");
    }
  }

  @Test
  void threadsThatDoNotWantATopicLoseTheirTurn() {
    var topics = Map.of("t", PartitionSet.range(0, 4), "u", PartitionSet.range(0, 4));
    MemberId a = new MemberId("a00");
    MemberId b = new MemberId("b00");

    var shares =
        new RoundRobinAssignor(V1_0)
            .assign(
                topics,
                Map.of(
                    a, Subscription.copyOf(Map.of("t", 1, "u", 1)),
                    b, Subscription.copyOf(Map.of("t", 1))));

    assertThat(shares)
        .containsExactly(
            Map.entry(
                a,
                Assignment.copyOf(
                    Map.of("t", PartitionSet.of(0, 2), "u", PartitionSet.range(0, 4)))),
            Map.entry(b, Assignment.of("t", PartitionSet.of(1, 3))));
  }

  @Test
  void theOrderIsThatOfEachReleasesTextSoTheyDisagreeOnElevenPartitions() {
    var topics = Map.of("t", PartitionSet.range(0, 11));
    Subscription one = Subscription.copyOf(Map.of("t", 1));
    var members = Map.of(C1, one, C2, one);

    var old = new RoundRobinAssignor(V0_8_2).assign(topics, members);
    var current = new RoundRobinAssignor(V1_0).assign(topics, members);

    assertThat(old).isNotEqualTo(current);
    assertThat(old.values().stream().mapToInt(Assignment::size).sum()).isEqualTo(11);
    assertThat(current.values().stream().mapToInt(Assignment::size).sum()).isEqualTo(11);
  }
}
