package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.runtime.RequestKind;
import java.util.EnumMap;
import java.util.Map;

/** How much happened in a run, so that a test can say that it was not too little. */
final class Counts {

  int generations;
  int completed;
  int aborted;
  int takeovers;
  int removed;
  int zombies;

  /** Answers to Joins of server-assigned groups. */
  int shared;

  /** Groups that the store was told to remove. */
  int deleted;

  /** Assignments of the coordinator's that failed. */
  int unassigned;

  long settledAfterMs;
  final Map<RequestKind, Map<GroupError, Integer>> answers = new EnumMap<>(RequestKind.class);

  void answer(RequestKind kind, GroupError error) {
    answers
        .computeIfAbsent(kind, k -> new EnumMap<>(GroupError.class))
        .merge(error, 1, Integer::sum);
  }

  void add(Counts other) {
    generations += other.generations;
    completed += other.completed;
    aborted += other.aborted;
    takeovers += other.takeovers;
    removed += other.removed;
    zombies += other.zombies;
    shared += other.shared;
    deleted += other.deleted;
    unassigned += other.unassigned;
    settledAfterMs = Math.max(settledAfterMs, other.settledAfterMs);
    other.answers.forEach(
        (kind, errors) ->
            errors.forEach(
                (error, count) ->
                    answers
                        .computeIfAbsent(kind, k -> new EnumMap<>(GroupError.class))
                        .merge(error, count, Integer::sum)));
  }

  @Override
  public String toString() {
    return "generations %d, completed %d, aborted %d, takeovers %d, removed %d, zombies %d, shared %d, deleted %d, unassigned %d, settled after %d ms at most, %s"
        .formatted(
            generations,
            completed,
            aborted,
            takeovers,
            removed,
            zombies,
            shared,
            deleted,
            unassigned,
            settledAfterMs,
            answers);
  }
}
