package io.rebalancer.bridge.report;

import io.rebalancer.bridge.group.GroupSnapshot;
import io.rebalancer.bridge.group.GroupSnapshot.Owner;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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

    /** Columns padded to their widest cell, two blanks between them; ends with a line break. */
    @Override
    public String toString() {
      List<List<String>> all = new ArrayList<>();
      all.add(head);
      all.addAll(rows);
      StringBuilder text = new StringBuilder();
      for (List<String> row : all) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
          int column = i;
          int width = all.stream().mapToInt(each -> each.get(column).length()).max().orElse(0);
          line.append(row.get(i)).append(" ".repeat(width - row.get(i).length() + 2));
        }
        text.append(line.toString().stripTrailing()).append('\n');
      }
      return text.toString();
    }
  }

  /**
   * A row per partition that has an owner, an offset, or a subscriber; then members that own
   * nothing.
   */
  public static Table offsets(GroupSnapshot group) {
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
    List<List<String>> rows = new ArrayList<>();
    Set<String> owning = new HashSet<>();
    for (TopicPartition partition : partitions) {
      Owner owner = group.owners().get(partition);
      Long offset = group.offsets().get(partition);
      if (owner != null) {
        owning.add(owner.member());
      }
      rows.add(
          List.of(
              group.group().value(),
              partition.topic(),
              Integer.toString(partition.partition()),
              offset == null ? UNKNOWN : offset.toString(),
              UNKNOWN,
              UNKNOWN,
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
        Set.of("PARTITION", "CURRENT-OFFSET"),
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
