package io.rebalancer.bridge.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.group.OffsetTarget.Kind;
import io.rebalancer.bridge.group.OffsetTarget.Plan;
import io.rebalancer.bridge.group.StoredOffsets.Node;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class OffsetTargetTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);
  private static final TopicPartition T2 = new TopicPartition("t", 2);
  private static final Node FIVE = new Node("5", 5L, 3);
  private static final Node RUBBISH = new Node("x", null, 0);
  private static final StoredOffsets NOW =
      new StoredOffsets(new TreeMap<>(Map.of(T0, FIVE, T1, RUBBISH)), List.of());

  private static SortedSet<TopicPartition> scope(TopicPartition... partitions) {
    return new TreeSet<>(List.of(partitions));
  }

  private static Plan plan(
      Kind kind, long number, SortedSet<TopicPartition> scope, Map<TopicPartition, LogRange> logs) {
    return new OffsetTarget(kind, number).plan(NOW, scope, logs);
  }

  @Test
  void anOffsetIsPutWhereThereIsNoneOrRubbishOrAnother() {
    Plan plan = plan(Kind.TO_OFFSET, 7, scope(T0, T1, T2), Map.of());

    assertThat(plan.changes())
        .containsExactly(
            new OffsetChange(T0, FIVE, 7L),
            new OffsetChange(T1, RUBBISH, 7L),
            new OffsetChange(T2, null, 7L));
    assertThat(plan.problems()).isEmpty();
  }

  @Test
  void whatIsSoAlreadyIsNoChange() {
    assertThat(plan(Kind.TO_OFFSET, 5, scope(T0), Map.of()).changes()).isEmpty();
    assertThat(plan(Kind.DELETE, 0, scope(T2), Map.of()).changes()).isEmpty();
  }

  @Test
  void onlyAnOffsetCanBeShifted() {
    Plan plan = plan(Kind.SHIFT_BY, -2, scope(T0, T1, T2), Map.of());

    assertThat(plan.changes()).containsExactly(new OffsetChange(T0, FIVE, 3L));
    assertThat(plan.problems())
        .containsExactly(
            "t-1: \"x\" (expected: an offset to shift)",
            "t-2: none (expected: an offset to shift)");
  }

  @Test
  void aShiftEndsAtTheLogsBoundsAndAtZeroWhereTheyAreNotKnown() {
    Map<TopicPartition, LogRange> logs = Map.of(T0, new LogRange(4, 9));

    Plan back = plan(Kind.SHIFT_BY, -100, scope(T0), logs);
    Plan forth = plan(Kind.SHIFT_BY, Long.MAX_VALUE, scope(T0), logs);
    Plan unknown = plan(Kind.SHIFT_BY, -100, scope(T0), Map.of());

    assertThat(back.changes()).containsExactly(new OffsetChange(T0, FIVE, 4L));
    assertThat(back.notes()).containsExactly("t-0: -95 is beyond its log, taken is 4");
    assertThat(forth.changes()).containsExactly(new OffsetChange(T0, FIVE, 9L));
    assertThat(unknown.changes()).containsExactly(new OffsetChange(T0, FIVE, 0L));
  }

  @Test
  void theBoundsOfALogAreTakenFromItsBrokerOnly() {
    Map<TopicPartition, LogRange> logs = Map.of(T0, new LogRange(4, 9));

    assertThat(plan(Kind.TO_EARLIEST, 0, scope(T0), logs).changes())
        .containsExactly(new OffsetChange(T0, FIVE, 4L));
    assertThat(plan(Kind.TO_LATEST, 0, scope(T0), logs).changes())
        .containsExactly(new OffsetChange(T0, FIVE, 9L));
    assertThat(plan(Kind.TO_LATEST, 0, scope(T1), logs).problems())
        .containsExactly("t-1: where its log begins and ends is not known");
  }

  @Test
  void deletingNeedsNoReadableOffset() {
    assertThat(plan(Kind.DELETE, 0, scope(T0, T1, T2), Map.of()).changes())
        .containsExactly(new OffsetChange(T0, FIVE, null), new OffsetChange(T1, RUBBISH, null));
  }
}
