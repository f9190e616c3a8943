package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One group's stored positions and the commits on their way to the store. One write is under way at
 * a time; what comes meanwhile goes into the next, where the last value of a partition wins. For
 * the group's loop alone.
 */
final class OffsetBook {

  private static final int MAX_WAITING = 10_000;

  /** Gives changed positions to the store; tells the outcome on the group's loop. */
  interface Writer {
    void write(
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed,
        Consumer<GroupError> outcome);
  }

  private record Commit(
      Map<TopicPartition, CommittedOffset> offsets, Consumer<GroupError> outcome) {}

  private final NavigableMap<TopicPartition, CommittedOffset> stored;
  private final Writer writer;
  private List<Commit> waiting = new ArrayList<>();
  private boolean writing;

  OffsetBook(Map<TopicPartition, CommittedOffset> stored, Writer writer) {
    this.stored = new TreeMap<>(stored);
    this.writer = writer;
  }

  NavigableMap<TopicPartition, CommittedOffset> stored() {
    return Collections.unmodifiableNavigableMap(stored);
  }

  boolean isBlank() {
    return stored.isEmpty() && waiting.isEmpty() && !writing;
  }

  /** {@code outcome} is told once the positions are stored, or why they are not. */
  void commit(Map<TopicPartition, CommittedOffset> offsets, Consumer<GroupError> outcome) {
    if (waiting.size() >= MAX_WAITING) {
      outcome.accept(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
      return;
    }
    waiting.add(new Commit(offsets, outcome));
    if (!writing) {
      flush();
    }
  }

  private void flush() {
    List<Commit> batch = waiting;
    waiting = new ArrayList<>();
    Map<TopicPartition, CommittedOffset> changed = new TreeMap<>();
    batch.forEach(commit -> changed.putAll(commit.offsets()));
    changed.entrySet().removeIf(e -> isStored(e.getKey(), e.getValue()));
    if (changed.isEmpty()) {
      batch.forEach(commit -> commit.outcome().accept(GroupError.NONE));
      return;
    }
    writing = true;
    writer.write(stored(), changed, error -> written(batch, changed, error));
  }

  private boolean isStored(TopicPartition partition, CommittedOffset offset) {
    CommittedOffset known = stored.get(partition);
    return known != null && known.samePositionAs(offset);
  }

  private void written(
      List<Commit> batch, Map<TopicPartition, CommittedOffset> changed, GroupError error) {
    writing = false;
    if (error == GroupError.NONE) {
      stored.putAll(changed);
    }
    batch.forEach(commit -> commit.outcome().accept(error));
    if (!waiting.isEmpty()) {
      flush();
    }
  }
}
