package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One group's stored positions and what is on its way to the store, in the order asked. One write
 * is under way at a time; commits that come meanwhile go into the next, where the last value of a
 * partition wins. For the group's loop alone.
 */
final class OffsetBook {

  private static final int MAX_WAITING = 10_000;

  /** Gives changes to the store; tells the outcome on the group's loop. */
  interface Writer {
    void write(
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed,
        Consumer<GroupError> outcome);

    void remove(
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Set<TopicPartition> gone,
        Consumer<GroupError> outcome);

    /** Everything of the group, not its positions alone. */
    void removeGroup(Consumer<GroupError> outcome);
  }

  private sealed interface Change {
    Consumer<GroupError> outcome();
  }

  private record Commit(Map<TopicPartition, CommittedOffset> offsets, Consumer<GroupError> outcome)
      implements Change {}

  private record Removal(
      Function<NavigableMap<TopicPartition, CommittedOffset>, Set<TopicPartition>> choice,
      Consumer<GroupError> outcome)
      implements Change {}

  private record End(Consumer<GroupError> outcome) implements Change {}

  private final NavigableMap<TopicPartition, CommittedOffset> stored;
  private final Writer writer;
  private final long stampLagMs;
  private final Map<TopicPartition, Long> olderStamps = new HashMap<>();
  private final Deque<Change> waiting = new ArrayDeque<>();
  private boolean writing;

  /**
   * @param stampLagMs how far the time of an unchanged position's last commit may lag behind in the
   *     store: such a commit is not written before
   */
  OffsetBook(Map<TopicPartition, CommittedOffset> stored, Writer writer, long stampLagMs) {
    this.stored = new TreeMap<>(stored);
    this.writer = writer;
    this.stampLagMs = stampLagMs;
  }

  NavigableMap<TopicPartition, CommittedOffset> stored() {
    return Collections.unmodifiableNavigableMap(stored);
  }

  boolean isBlank() {
    return stored.isEmpty() && waiting.isEmpty() && !writing;
  }

  /** {@code outcome} is told once the positions are stored, or why they are not. */
  void commit(Map<TopicPartition, CommittedOffset> offsets, Consumer<GroupError> outcome) {
    add(new Commit(offsets, outcome));
  }

  /**
   * Removes what {@code choice} takes of the positions when its turn comes, so that it sees every
   * commit before it.
   */
  void remove(
      Function<NavigableMap<TopicPartition, CommittedOffset>, Set<TopicPartition>> choice,
      Consumer<GroupError> outcome) {
    add(new Removal(choice, outcome));
  }

  /** Removes the whole group. */
  void end(Consumer<GroupError> outcome) {
    add(new End(outcome));
  }

  private void add(Change change) {
    if (waiting.size() >= MAX_WAITING) {
      change.outcome().accept(GroupError.COORDINATOR_LOAD_IN_PROGRESS);
      return;
    }
    waiting.add(change);
    flush();
  }

  private void flush() {
    while (!writing && !waiting.isEmpty()) {
      Change next = waiting.remove();
      if (next instanceof Commit commit) {
        begin(withFollowing(commit));
      } else if (next instanceof Removal removal) {
        begin(removal);
      } else if (next instanceof End end) {
        writing = true;
        writer.removeGroup(error -> done(error, stored::clear, List.of(end)));
      }
    }
  }

  private List<Commit> withFollowing(Commit first) {
    List<Commit> batch = new ArrayList<>(List.of(first));
    while (waiting.peek() instanceof Commit next) {
      batch.add(next);
      waiting.remove();
    }
    return batch;
  }

  private void begin(List<Commit> batch) {
    Map<TopicPartition, CommittedOffset> changed = new TreeMap<>();
    batch.forEach(commit -> changed.putAll(commit.offsets()));
    changed.entrySet().removeIf(e -> isStored(e.getKey(), e.getValue()));
    if (changed.isEmpty()) {
      batch.forEach(commit -> commit.outcome().accept(GroupError.NONE));
      return;
    }
    writing = true;
    writer.write(stored(), changed, error -> done(error, () -> keep(changed), batch));
  }

  private void begin(Removal removal) {
    Set<TopicPartition> gone = new TreeSet<>(removal.choice().apply(stored()));
    gone.retainAll(stored.keySet());
    if (gone.isEmpty()) {
      removal.outcome().accept(GroupError.NONE);
      return;
    }
    writing = true;
    writer.remove(stored(), gone, error -> done(error, () -> drop(gone), List.of(removal)));
  }

  /**
   * Takes note of a commit that needs no write: consumers commit every few seconds, moved or not.
   */
  private boolean isStored(TopicPartition partition, CommittedOffset offset) {
    CommittedOffset known = stored.get(partition);
    if (known == null || !known.samePositionAs(offset)) {
      return false;
    }
    long writtenMs = olderStamps.getOrDefault(partition, known.timestampMs());
    if (offset.timestampMs() - writtenMs >= stampLagMs) {
      return false;
    }
    if (offset.timestampMs() > known.timestampMs()) {
      olderStamps.put(partition, writtenMs);
      stored.put(partition, offset);
    }
    return true;
  }

  private void keep(Map<TopicPartition, CommittedOffset> changed) {
    stored.putAll(changed);
    olderStamps.keySet().removeAll(changed.keySet());
  }

  private void drop(Set<TopicPartition> gone) {
    stored.keySet().removeAll(gone);
    olderStamps.keySet().removeAll(gone);
  }

  private void done(GroupError error, Runnable success, List<? extends Change> changes) {
    writing = false;
    if (error == GroupError.NONE) {
      success.run();
    }
    changes.forEach(change -> change.outcome().accept(error));
    flush();
  }
}
