package io.rebalancer.bridge.report;

import io.rebalancer.bridge.group.GroupSnapshot;
import io.rebalancer.bridge.group.GroupSnapshot.Owner;
import io.rebalancer.bridge.group.LogRange;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A ZooKeeper-based group in the columns of kafka-consumer-groups, {@code -} for what ZooKeeper
 * does not know.
 */
public final class GroupTables {

  public static final String UNKNOWN = "-";

  private GroupTables() {}

  /**
   * Rows of text below a head.
   *
   * @param numeric heads of the columns that hold numbers
   */
  public record Table(List<String> head, Set<String> numeric, List<List<String>> rows) {

    /**
     * The head, then each row: columns padded to their widest cell, two blanks between them.
     * Without line breaks.
     */
    public List<String> lines() {
      List<List<String>> all = new ArrayList<>();
      all.add(head);
      all.addAll(rows);
      int[] widths = new int[head.size()];
      for (List<String> row : all) {
        for (int i = 0; i < widths.length; i++) {
          widths[i] = Math.max(widths[i], row.get(i).length());
        }
      }
      List<String> lines = new ArrayList<>();
      for (List<String> row : all) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
          line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
        }
        lines.add(line.toString().stripTrailing());
      }
      return lines;
    }

    /** All lines, each with a line break. */
    @Override
    public String toString() {
      return String.join("\n", lines()) + "\n";
    }
  }

  /** Those that have an owner, an offset, or a subscriber. */
  public static SortedSet<TopicPartition> partitions(GroupSnapshot group) {
    SortedSet<TopicPartition> partitions = new TreeSet<>(group.owners().keySet());
    partitions.addAll(group.offsets().keySet());
    group
        .members()
        .values()
        .forEach(
            subscription ->
                group
                    .topics()
                    .forEach(
                        (topic, set) -> {
                          if (subscription.includes(topic)) {
                            set.forEach(n -> partitions.add(new TopicPartition(topic, n)));
                          }
                        }));
    return partitions;
  }

  /**
   * A row for each of {@link #partitions}; then members that own nothing.
   *
   * @param logs as far as they are known
   */
  public static Table offsets(GroupSnapshot group, Map<TopicPartition, LogRange> logs) {
    List<List<String>> rows = new ArrayList<>();
    Set<String> owning = new HashSet<>();
    for (TopicPartition partition : partitions(group)) {
      Owner owner = group.owners().get(partition);
      Long offset = group.offsets().get(partition);
      LogRange log = logs.get(partition);
      if (owner != null) {
        owning.add(owner.member());
      }
      rows.add(
          List.of(
              group.group().value(),
              partition.topic(),
              Integer.toString(partition.partition()),
              offset == null ? UNKNOWN : offset.toString(),
              log == null ? UNKNOWN : Long.toString(log.end()),
              log == null || offset == null || offset < 0
                  ? UNKNOWN
                  : Long.toString(log.end() - offset),
              owner == null ? UNKNOWN : owner.member(),
              UNKNOWN,
              UNKNOWN));
    }
    for (MemberId member : group.members().keySet()) {
      if (!owning.contains(member.value())) {
        rows.add(
            List.of(
                group.group().value(),
                UNKNOWN,
                UNKNOWN,
                UNKNOWN,
                UNKNOWN,
                UNKNOWN,
                member.value(),
                UNKNOWN,
                UNKNOWN));
      }
    }
    return new Table(
        List.of(
            "GROUP",
            "TOPIC",
            "PARTITION",
            "CURRENT-OFFSET",
            "LOG-END-OFFSET",
            "LAG",
            "CONSUMER-ID",
            "HOST",
            "CLIENT-ID"),
        Set.of("PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"),
        rows);
  }

  public static Table members(GroupSnapshot group) {
    List<List<String>> rows = new ArrayList<>();
    for (MemberId member : group.members().keySet()) {
      long owned =
          group.owners().values().stream()
              .filter(owner -> owner.member().equals(member.value()))
              .count();
      rows.add(
          List.of(group.group().value(), member.value(), UNKNOWN, UNKNOWN, Long.toString(owned)));
    }
    return new Table(
        List.of("GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS"),
        Set.of("#PARTITIONS"),
        rows);
  }

  /** Stable with members and Empty without: the old design has no other state to show. */
  public static Table state(GroupSnapshot group) {
    int members = group.members().size();
    return new Table(
        List.of("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS"),
        Set.of("#MEMBERS"),
        List.of(
            List.of(
                group.group().value(),
                UNKNOWN,
                UNKNOWN,
                members == 0 ? "Empty" : "Stable",
                Integer.toString(members))));
  }
}
