package io.rebalancer.core.assignor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RangeAssignorTest {

  private static final MemberId C1 = new MemberId("C1");
  private static final MemberId C2 = new MemberId("C2");
  private static final ThreadId C1_0 = new ThreadId(C1, 0);
  private static final ThreadId C2_0 = new ThreadId(C2, 0);
  private static final ThreadId C2_1 = new ThreadId(C2, 1);

  private final RangeAssignor range = new RangeAssignor();

  private static Map<MemberId, Subscription> members(String... topics) {
    return Map.of(C1, streams(1, topics), C2, streams(2, topics));
  }

  private static Subscription streams(int count, String... topics) {
    return Subscription.copyOf(
        List.of(topics).stream()
            .collect(java.util.stream.Collectors.toMap(topic -> topic, topic -> count)));
  }

  @Test
  void e01_tenPartitionsOverThreeThreads() {
    var shares = range.assignThreads(Map.of("T1", PartitionSet.range(0, 10)), members("T1"));

    assertThat(shares)
        .containsExactly(
            Map.entry(C1_0, Assignment.of("T1", PartitionSet.parse("0-3"))),
            Map.entry(C2_0, Assignment.of("T1", PartitionSet.parse("4-6"))),
            Map.entry(C2_1, Assignment.of("T1", PartitionSet.parse("7-9"))));
  }

  @Test
  void e02_elevenPartitionsOverThreeThreads() {
    var shares = range.assignThreads(Map.of("T1", PartitionSet.range(0, 11)), members("T1"));

    assertThat(shares)
        .containsExactly(
            Map.entry(C1_0, Assignment.of("T1", PartitionSet.parse("0-3"))),
            Map.entry(C2_0, Assignment.of("T1", PartitionSet.parse("4-7"))),
            Map.entry(C2_1, Assignment.of("T1", PartitionSet.parse("8-10"))));
  }

  @Test
  void e03_overTwoTopicsTheFirstThreadOwnsTwoMore() {
    var shares =
        range.assignThreads(
            Map.of("T1", PartitionSet.range(0, 10), "T2", PartitionSet.range(0, 10)),
            members("T1", "T2"));

    assertThat(shares.values()).extracting(Assignment::size).containsExactly(8, 6, 6);
  }

  @Test
  void membersWithDifferentTopicsDoNotHalveEachOthersShare_B010() {
    var shares =
        range.assign(
            Map.of("t1", PartitionSet.range(0, 2), "t2", PartitionSet.range(0, 2)),
            Map.of(C1, streams(1, "t1"), C2, streams(1, "t2")));

    assertThat(shares)
        .containsExactly(
            Map.entry(C1, Assignment.of("t1", PartitionSet.range(0, 2))),
            Map.entry(C2, Assignment.of("t2", PartitionSet.range(0, 2))));
  }

  @Test
  void threadsAreOrderedAsTextSoTheTenthComesBeforeTheSecond() {
    var shares =
        range.assignThreads(Map.of("t", PartitionSet.range(0, 11)), Map.of(C1, streams(11, "t")));

    assertThat(shares.get(new ThreadId(C1, 10))).isEqualTo(Assignment.of("t", PartitionSet.of(2)));
    assertThat(shares.get(new ThreadId(C1, 2))).isEqualTo(Assignment.of("t", PartitionSet.of(3)));
  }

  @Test
  void everyPartitionHasOneOwnerAndMembersBeyondThePartitionsGetNothing() {
    Map<MemberId, Subscription> many =
        IntStream.range(0, 7)
            .boxed()
            .collect(
                java.util.stream.Collectors.toMap(
                    i -> new MemberId("m" + i), i -> streams(1, "t")));

    var shares = range.assign(Map.of("t", PartitionSet.range(0, 5)), many);

    assertThat(shares).hasSize(7);
    assertThat(shares.values().stream().flatMap(Assignment::stream))
        .hasSize(5)
        .doesNotHaveDuplicates();
  }
}
