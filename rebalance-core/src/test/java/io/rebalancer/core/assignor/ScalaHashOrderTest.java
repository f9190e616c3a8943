package io.rebalancer.core.assignor;

import static io.rebalancer.core.assignor.RoundRobinAssignor.Release.V0_8_2;
import static io.rebalancer.core.assignor.RoundRobinAssignor.Release.V1_0;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Expected orders come from scala-library 2.11.5 and 2.11.12, which agree. */
class ScalaHashOrderTest {

  @Test
  void keysComeInTheOrderOfTheirBuckets() {
    assertThat(ScalaHashOrder.of(List.of("t", "u", "v", "w", "x", "y"), 1))
        .containsExactly("w", "t", "v", "y", "x", "u");
  }

  @Test
  void equalHashesComeLastInFirstOutSoThatEveryMapTurnsThemRound() {
    assertThat(ScalaHashOrder.of(List.of("Aa", "BB"), 1)).containsExactly("BB", "Aa");
    assertThat(ScalaHashOrder.of(List.of("Aa", "BB"), 2)).containsExactly("Aa", "BB");
    assertThat(ScalaHashOrder.of(List.of("AaAa", "AaBB", "BBAa", "BBBB"), 1))
        .containsExactly("BBBB", "BBAa", "AaBB", "AaAa");
  }

  @Test
  void moreThanFourKeysComeOutOfATrieFirst() {
    assertThat(ScalaHashOrder.of(List.of("t", "u", "v", "w"), 0))
        .containsExactly("t", "u", "v", "w");
    assertThat(ScalaHashOrder.of(List.of("t", "u", "v", "w", "x", "y"), 0))
        .containsExactly("x", "y", "t", "u", "v", "w");
    assertThat(ScalaHashOrder.of(List.of("Aa", "BB", "t", "u", "v"), 0))
        .containsExactly("t", "u", "Aa", "BB", "v");
  }

  /** What the table held when it grew is turned round once more, so it matters what came first. */
  @Test
  void aTableThatGrowsIsWalkedAnew() {
    List<String> topics =
        IntStream.range(0, 14).mapToObj(i -> (i % 2 == 0 ? "Aa" : "BB") + i / 2).toList();

    assertThat(ScalaHashOrder.of(topics, 3))
        .containsExactly(
            "BB4", "Aa4", "Aa3", "BB3", "Aa6", "BB6", "Aa0", "BB0", "Aa2", "BB2", "Aa5", "BB5",
            "Aa1", "BB1");
    assertThat(ScalaHashOrder.of(topics, 4))
        .containsExactly(
            "BB4", "Aa4", "Aa3", "BB3", "Aa6", "BB6", "Aa0", "BB0", "Aa2", "BB2", "Aa5", "BB5",
            "BB1", "Aa1");
  }

  @Test
  void tiesAreDealtInTheOrderOfTheReleasesMaps() {
    var topics = Map.of("Aa", PartitionSet.range(0, 1), "BB", PartitionSet.range(0, 1));
    Subscription both = Subscription.copyOf(Map.of("Aa", 1, "BB", 1));
    MemberId first = new MemberId("c1");
    var members = Map.of(first, both, new MemberId("c2"), both);

    assertThat(new RoundRobinAssignor(V0_8_2).assign(topics, members).get(first).toString())
        .isEqualTo("BB:0");
    assertThat(new RoundRobinAssignor(V1_0).assign(topics, members).get(first).toString())
        .isEqualTo("Aa:0");
  }
}
