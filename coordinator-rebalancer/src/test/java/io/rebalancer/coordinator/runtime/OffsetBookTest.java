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
import java.util.NavigableMap;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class OffsetBookTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);

  private final List<Map<TopicPartition, CommittedOffset>> writes = new ArrayList<>();
  private final List<Set<TopicPartition>> removals = new ArrayList<>();
  private final List<Consumer<GroupError>> open = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final OffsetBook book = new OffsetBook(Map.of(), new Held(), 1_000);

  /** What was to be written or removed; nothing ends until the test says so. */
  private final class Held implements OffsetBook.Writer {
    @Override
    public void write(
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed,
        Consumer<GroupError> outcome) {
      writes.add(Map.copyOf(changed));
      open.add(outcome);
    }

    @Override
    public void remove(
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Set<TopicPartition> gone,
        Consumer<GroupError> outcome) {
      removals.add(Set.copyOf(gone));
      open.add(outcome);
    }

    @Override
    public void removeGroup(Consumer<GroupError> outcome) {
      removals.add(Set.of());
      open.add(outcome);
    }
  }

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

  private void remove(String name, TopicPartition... partitions) {
    book.remove(stored -> Set.of(partitions), error -> answers.add(name + " " + error));
  }

  @Test
  void aRemovalIsAnsweredWhenItIsStoredAndCommitsAfterItStay() {
    commit("first", T0, 1);
    open.get(0).accept(NONE);
    remove("removal", T0, T1);
    commit("second", T0, 2);

    assertThat(removals).as("only what is there").containsExactly(Set.of(T0));
    assertThat(writes).hasSize(1);
    assertThat(book.stored()).isEqualTo(Map.of(T0, at(1)));

    open.get(1).accept(NONE);
    open.get(2).accept(NONE);

    assertThat(answers).containsExactly("first NONE", "removal NONE", "second NONE");
    assertThat(book.stored()).isEqualTo(Map.of(T0, at(2)));
  }

  @Test
  void aRemovalChoosesAmongWhatWasCommittedBeforeIt() {
    commit("first", T0, 1);
    open.get(0).accept(NONE);
    commit("second", T0, 2);
    List<Map<TopicPartition, CommittedOffset>> seen = new ArrayList<>();
    book.remove(
        stored -> {
          seen.add(Map.copyOf(stored));
          return Set.of();
        },
        error -> answers.add("removal " + error));
    assertThat(seen).isEmpty();

    open.get(1).accept(NONE);

    assertThat(seen).containsExactly(Map.of(T0, at(2)));
    assertThat(removals).isEmpty();
    assertThat(answers).containsExactly("first NONE", "second NONE", "removal NONE");
  }

  @Test
  void whatCouldNotBeRemovedIsStillThere() {
    commit("first", T0, 1);
    open.get(0).accept(NONE);
    remove("removal", T0);

    open.get(1).accept(COORDINATOR_LOAD_IN_PROGRESS);

    assertThat(answers).containsExactly("first NONE", "removal COORDINATOR_LOAD_IN_PROGRESS");
    assertThat(book.stored()).isEqualTo(Map.of(T0, at(1)));
  }

  @Test
  void anUnmovedPositionIsWrittenAgainOnlyWhenItsTimeLagsTooFar() {
    book.commit(Map.of(T0, new CommittedOffset(7, -1, "", 0)), error -> {});
    open.get(0).accept(NONE);

    book.commit(Map.of(T0, new CommittedOffset(7, -1, "", 600)), error -> {});
    book.commit(Map.of(T0, new CommittedOffset(7, -1, "", 999)), error -> {});
    assertThat(writes).hasSize(1);
    assertThat(book.stored().get(T0).timestampMs()).as("known here").isEqualTo(999);

    book.commit(Map.of(T0, new CommittedOffset(7, -1, "", 1_000)), error -> {});
    open.get(1).accept(NONE);
    book.commit(Map.of(T0, new CommittedOffset(7, -1, "", 1_999)), error -> {});

    assertThat(writes.get(1)).isEqualTo(Map.of(T0, new CommittedOffset(7, -1, "", 1_000)));
    assertThat(writes).hasSize(2);
  }

  @Test
  void theGroupGoesAfterEverythingBeforeIt() {
    commit("first", T0, 1);
    book.end(error -> answers.add("end " + error));
    assertThat(removals).isEmpty();

    open.get(0).accept(NONE);
    open.get(1).accept(NONE);

    assertThat(removals).containsExactly(Set.of());
    assertThat(answers).containsExactly("first NONE", "end NONE");
    assertThat(book.isBlank()).isTrue();
  }
}
