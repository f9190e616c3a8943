package io.rebalancer.coordinator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplicaRacksTest {

  private final ReplicaRacks racks = new ReplicaRacks();

  @Test
  void thereAreNoneWhereNoBrokerHasARack() {
    assertThat(racks.broker(1, Optional.empty())).isFalse();
    racks.topic("t", List.of(List.of(1), List.of(1)));

    assertThat(racks.ofTopics()).isEmpty();
  }

  @Test
  void aPartitionIsInTheRacksOfItsReplicasWhicheverWasReadFirst() {
    racks.topic("t", List.of(List.of(1, 2), List.of(2, 3), List.of()));
    assertThat(racks.broker(1, Optional.of("a"))).isTrue();
    assertThat(racks.broker(2, Optional.of("b"))).isTrue();
    racks.topic("u", List.of(List.of(3)));

    assertThat(racks.ofTopics())
        .isEqualTo(
            Map.of(
                "t", List.of(Set.of("a", "b"), Set.of("b"), Set.of()),
                "u", List.of(Set.of())));

    assertThat(racks.broker(2, Optional.of("b"))).as("as before").isFalse();
    assertThat(racks.broker(2, Optional.of("c"))).isTrue();
    racks.topic("u", List.of());

    assertThat(racks.ofTopics())
        .isEqualTo(Map.of("t", List.of(Set.of("a", "c"), Set.of("c"), Set.of())));
  }

  @Test
  void withTheLastRackAllAreGone() {
    racks.topic("t", List.of(List.of(1)));
    racks.broker(1, Optional.of("a"));

    assertThat(racks.broker(1, Optional.empty())).isTrue();
    assertThat(racks.ofTopics()).isEmpty();
  }
}
