package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One group's way to the store for its positions; tells the outcome on the group's loop. */
final class StoreOffsets implements OffsetBook.Writer {

  private final GroupId group;
  private final GroupStore store;
  private final GroupJournal journal;
  private final Consumer<Runnable> loop;

  StoreOffsets(GroupId group, GroupStore store, GroupJournal journal, Consumer<Runnable> loop) {
    this.group = group;
    this.store = store;
    this.journal = journal;
    this.loop = loop;
  }

  @Override
  public void write(
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Map<TopicPartition, CommittedOffset> changed,
      Consumer<GroupError> outcome) {
    tell(store.saveOffsets(group, stored, changed), outcome);
  }

  @Override
  public void remove(
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Set<TopicPartition> gone,
      Consumer<GroupError> outcome) {
    tell(store.deleteOffsets(group, stored, gone), outcome);
  }

  @Override
  public void removeGroup(Consumer<GroupError> outcome) {
    tell(store.delete(group), outcome);
  }

  private void tell(CompletableFuture<Void> write, Consumer<GroupError> outcome) {
    write.whenComplete((done, failure) -> loop.accept(() -> outcome.accept(error(failure))));
  }

  private GroupError error(@Nullable Throwable failure) {
    if (failure == null) {
      return GroupError.NONE;
    }
    journal.notStored(group, "offsets", failure);
    return StoreErrors.ofCommit(failure);
  }
}
