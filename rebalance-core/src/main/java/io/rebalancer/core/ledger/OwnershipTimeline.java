package io.rebalancer.core.ledger;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who processed which partition when, as the members themselves believed: an interval runs from
 * {@code ASSIGNED} to {@code REVOKED} or {@code LOST}. What an owner znode said meanwhile does not
 * count.
 *
 * @param intervals per partition, by start
 */
public record OwnershipTimeline(SortedMap<TopicPartition, List<Interval>> intervals) {

  /**
   * One member's processing of one partition.
   *
   * @param endNanos {@link Long#MAX_VALUE} while it goes on
   */
  public record Interval(String member, FencingToken token, long startNanos, long endNanos) {

    /** How long the two ran side by side; 0 if they did not. */
    long overlapNanos(Interval other, long horizonNanos) {
      long from = Math.max(startNanos, other.startNanos);
      long to = Math.min(Math.min(endNanos, other.endNanos), horizonNanos);
      return Math.max(0, to - from);
    }
  }

  /** Entries may come in any order; those of one member at one instant keep the order given. */
  public static OwnershipTimeline of(Collection<LedgerEntry> entries) {
    List<LedgerEntry> ordered = new ArrayList<>(entries);
    ordered.sort(Comparator.comparingLong(LedgerEntry::atNanos));
    SortedMap<TopicPartition, List<Interval>> closed = new TreeMap<>();
    Map<TopicPartition, Map<String, Interval>> open = new HashMap<>();
    for (LedgerEntry entry : ordered) {
      entry.partitions().stream().forEach(partition -> follow(entry, partition, open, closed));
    }
    open.forEach(
        (partition, byMember) ->
            closed.computeIfAbsent(partition, p -> new ArrayList<>()).addAll(byMember.values()));
    closed.values().forEach(list -> list.sort(Comparator.comparingLong(Interval::startNanos)));
    return new OwnershipTimeline(closed);
  }

  private static void follow(
      LedgerEntry entry,
      TopicPartition partition,
      Map<TopicPartition, Map<String, Interval>> open,
      SortedMap<TopicPartition, List<Interval>> closed) {
    Map<String, Interval> owners = open.computeIfAbsent(partition, p -> new HashMap<>());
    switch (entry.kind()) {
      case ASSIGNED -> {
        end(owners.remove(entry.member()), entry.atNanos(), partition, closed);
        owners.put(
            entry.member(),
            new Interval(entry.member(), entry.token(), entry.atNanos(), Long.MAX_VALUE));
      }
      case REVOKED, LOST -> end(owners.remove(entry.member()), entry.atNanos(), partition, closed);
      case CLAIMED, GRANTED, RELEASED -> {}
    }
  }

  private static void end(
      @Nullable Interval interval,
      long atNanos,
      TopicPartition partition,
      SortedMap<TopicPartition, List<Interval>> closed) {
    if (interval != null) {
      closed
          .computeIfAbsent(partition, p -> new ArrayList<>())
          .add(new Interval(interval.member(), interval.token(), interval.startNanos(), atNanos));
    }
  }

  /** How long partition {@code p} had no owner between the two times. */
  public long unownedNanos(TopicPartition p, long fromNanos, long toNanos) {
    long unowned = 0;
    long ownedUntil = fromNanos;
    for (Interval interval : intervals.getOrDefault(p, List.of())) {
      long start = Math.min(interval.startNanos(), toNanos);
      unowned += Math.max(0, start - ownedUntil);
      ownedUntil = Math.max(ownedUntil, Math.min(interval.endNanos(), toNanos));
    }
    return unowned + Math.max(0, toNanos - ownedUntil);
  }

  /**
   * The time partitions had two owners or more, added up over pairs of different members; what
   * still goes on is counted up to {@code horizonNanos}.
   */
  public long doubleOwnedNanos(long horizonNanos) {
    long sum = 0;
    for (List<Interval> list : intervals.values()) {
      for (int i = 0; i < list.size(); i++) {
        for (int j = i + 1; j < list.size(); j++) {
          if (list.get(j).startNanos() >= list.get(i).endNanos()) {
            continue;
          }
          if (!list.get(i).member().equals(list.get(j).member())) {
            sum += list.get(i).overlapNanos(list.get(j), horizonNanos);
          }
        }
      }
    }
    return sum;
  }
}
