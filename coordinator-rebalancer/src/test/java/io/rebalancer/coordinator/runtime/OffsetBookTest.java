package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_LOAD_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OffsetBookTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);

  private final List<Map<TopicPartition, CommittedOffset>> writes = new ArrayList<>();
  private final List<Consumer<GroupError>> open = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final OffsetBook book =
      new OffsetBook(
          Map.of(),
          (stored, changed, outcome) -> {
            writes.add(Map.copyOf(changed));
            open.add(outcome);
          });

  private void commit(String name, TopicPartition partition, long offset) {
    book.commit(Map.of(partition, at(offset)), error -> answers.add(name + " " + error));
  }

  private static CommittedOffset at(long offset) {
    return new CommittedOffset(offset, -1, "", offset);
  }

  @Test
  void aCommitIsAnsweredWhenItIsStored() {
    commit("first", T0, 1);

    assertThat(writes).containsExactly(Map.of(T0, at(1)));
    assertThat(answers).isEmpty();
    assertThat(book.stored()).isEmpty();

    open.get(0).accept(NONE);

    assertThat(answers).containsExactly("first NONE");
    assertThat(book.stored()).isEqualTo(Map.of(T0, at(1)));
  }

  @Test
  void whatComesDuringAWriteGoesIntoTheNextAndTheLastValueOfAPartitionWins() {
    commit("first", T0, 1);
    commit("second", T0, 2);
    commit("third", T0, 3);
    commit("fourth", T1, 4);
    assertThat(writes).hasSize(1);

    open.get(0).accept(NONE);
    open.get(1).accept(NONE);

    assertThat(writes.get(1)).isEqualTo(Map.of(T0, at(3), T1, at(4)));
    assertThat(answers).containsExactly("first NONE", "second NONE", "third NONE", "fourth NONE");
  }

  @Test
  void anEqualCommitIsAnsweredWithoutAWrite() {
    commit("first", T0, 1);
    open.get(0).accept(NONE);

    commit("again", T0, 1);

    assertThat(writes).hasSize(1);
    assertThat(answers).containsExactly("first NONE", "again NONE");
  }

  @Test
  void afterAFailureNothingIsStoredAndTheNextIsTried() {
    commit("first", T0, 1);
    commit("second", T1, 2);

    open.get(0).accept(COORDINATOR_LOAD_IN_PROGRESS);
    open.get(1).accept(NONE);

    assertThat(answers).containsExactly("first COORDINATOR_LOAD_IN_PROGRESS", "second NONE");
    assertThat(book.stored()).isEqualTo(Map.of(T1, at(2)));
  }

  @Test
  void tooManyWaitingAreTurnedAwayWithARetriableError() {
    commit("first", T0, 1);
    for (int i = 0; i < 10_000; i++) {
      book.commit(Map.of(T0, at(i)), error -> {});
    }

    commit("too late", T0, 2);

    assertThat(answers).containsExactly("too late COORDINATOR_LOAD_IN_PROGRESS");
  }
}
