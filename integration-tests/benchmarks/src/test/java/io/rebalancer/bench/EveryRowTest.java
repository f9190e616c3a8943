package io.rebalancer.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bench.Cell.Group;
import io.rebalancer.bench.Outcome.Measured;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EveryRowTest {

  private static final Effort ONCE = new Effort(0, 0, 1, 1, 0, "", 60);

  @ParameterizedTest
  @EnumSource
  void isMeasuredByJmh(Row row) throws Exception {
    for (Change change : Change.values()) {
      Outcome outcome =
          CellRunner.run(new Cell(new Group(1_000, 100, Subscriptions.MIXED, change), row), ONCE);

      assertThat(outcome).isInstanceOf(Measured.class);
      assertThat(((Measured) outcome).millis()).isPositive();
      assertThat(((Measured) outcome).bytes()).isPositive();
    }
  }

  /** An input that the first call has used up would make all others fresh ones. */
  @ParameterizedTest
  @EnumSource
  void givesTheSameWhenItIsCalledAgain(Row row) {
    for (Subscriptions subscriptions : Subscriptions.values()) {
      for (Change change : Change.values()) {
        Supplier<Object> operation = row.operation(Groups.of(1_000, 20, subscriptions), change);
        Object first = operation.get();

        assertThat(operation.get()).isEqualTo(first);
        assertThat(operation.get()).isEqualTo(first);
      }
    }
  }

  @Test
  void topicsAreOfAHundredPartitionsUpToAThousandTopics() {
    assertThat(List.of(1_000, 10_000, 100_000, 1_000_000, 50))
        .extracting(Groups::topics)
        .containsExactly(10, 100, 1_000, 1_000, 1);
  }

  /** Else "one leaves" would be another fresh assignment. */
  @Test
  void whoStaysIsBelievedByKafkasAssignorsAndLosesNothing() {
    var group = Groups.of(1_000, 20, Subscriptions.IDENTICAL);
    for (Row row : List.of(Row.KAFKA_STICKY, Row.KAFKA_COOPERATIVE, Row.KAFKA_UNIFORM)) {
      var before = Shares.of(group, row.operation(group, Change.FRESH).get());
      var after = Shares.of(group, row.operation(group, Change.LEAVE).get());

      assertThat(after).hasSize(19);
      after.forEach(
          (id, share) ->
              assertThat(before.get(id).minus(share).isEmpty()).as("%s %s", row, id).isTrue());
    }
  }
}
