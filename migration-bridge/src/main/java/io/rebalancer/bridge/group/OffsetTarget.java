package io.rebalancer.bridge.group;

import io.rebalancer.bridge.group.StoredOffsets.Node;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a reset puts offsets (kafka-consumer-groups {@code --reset-offsets}).
 *
 * @param number the offset, or how far to shift; without meaning for the other kinds
 */
public record OffsetTarget(Kind kind, long number) {

  /** What {@link #number} is counted from. */
  public enum Kind {
    TO_OFFSET,
    SHIFT_BY,
    TO_EARLIEST,
    TO_LATEST,
    DELETE;

    /** Whether there is no answer without the partition's log. */
    public boolean needsLog() {
      return this == TO_EARLIEST || this == TO_LATEST;
    }
  }

  /**
   * What a reset comes to.
   *
   * @param problems why it cannot be done, a sentence each
   * @param notes what was put to the nearest bound of its log, a sentence each
   */
  public record Plan(List<OffsetChange> changes, List<String> problems, List<String> notes) {}

  /**
   * Plans a reset; offsets beyond a log that is known are put to its nearer end.
   *
   * @param logs may lack any partition unless the kind needs them
   */
  public Plan plan(
      StoredOffsets now, SortedSet<TopicPartition> scope, Map<TopicPartition, LogRange> logs) {
    Plan plan = new Plan(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    SortedMap<TopicPartition, Long> wanted = new TreeMap<>();
    for (TopicPartition partition : scope) {
      Node node = now.nodes().get(partition);
      if (kind == Kind.DELETE) {
        if (node != null) {
          plan.changes.add(new OffsetChange(partition, node, null));
        }
        continue;
      }
      LogRange log = logs.get(partition);
      if (kind == Kind.SHIFT_BY && (node == null || node.offset() == null || node.offset() < 0)) {
        plan.problems.add(
            partition
                + ": "
                + (node == null ? "none" : node.shown())
                + " (expected: an offset to shift)");
      } else if (kind.needsLog() && log == null) {
        plan.problems.add(partition + ": where its log begins and ends is not known");
      } else {
        long offset = raw(node, log);
        long kept = log == null ? Math.max(0, offset) : log.nearest(offset);
        if (kept != offset) {
          plan.notes.add(
              "%s: %d is %s, taken is %d"
                  .formatted(
                      partition, offset, log == null ? "no offset" : "beyond its log", kept));
        }
        wanted.put(partition, kept);
      }
    }
    plan.changes.addAll(OffsetChange.between(now, wanted));
    return plan;
  }

  private long raw(@Nullable Node node, @Nullable LogRange log) {
    return switch (kind) {
      case TO_OFFSET -> number;
      case SHIFT_BY -> shifted(node == null || node.offset() == null ? 0 : node.offset());
      case TO_EARLIEST -> log == null ? 0 : log.first();
      case TO_LATEST -> log == null ? 0 : log.end();
      case DELETE -> throw new IllegalStateException("delete has no offset");
    };
  }

  /** Stops at the bounds of a long. */
  private long shifted(long offset) {
    long sum = offset + number;
    return number > 0 && sum < offset ? Long.MAX_VALUE : sum;
  }
}
