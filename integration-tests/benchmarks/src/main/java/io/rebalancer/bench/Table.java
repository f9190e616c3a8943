package io.rebalancer.bench;

import static java.util.stream.Collectors.joining;

import io.rebalancer.bench.Cell.Group;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A table: groups down, assignors across. The first assignor of each run of columns is what the
 * others of that run are compared with.
 *
 * @param heap of the JVMs that measure it; empty for the usual one
 */
record Table(String title, List<Group> groups, List<List<Row>> columns, String heap) {

  Table {
    groups = List.copyOf(groups);
    columns = columns.stream().map(List::copyOf).toList();
  }

  /** The same with some of the columns; without those it has none of. */
  Table only(Collection<Row> rows) {
    List<List<Row>> some = new ArrayList<>();
    for (List<Row> run : columns) {
      List<Row> kept = run.stream().filter(rows::contains).toList();
      if (!kept.isEmpty()) {
        some.add(kept);
      }
    }
    return new Table(title, groups, some, heap);
  }

  List<Cell> cells() {
    return groups.stream().flatMap(g -> rows().map(row -> new Cell(g, row))).toList();
  }

  private Stream<Row> rows() {
    return columns.stream().flatMap(List::stream);
  }

  String markdown(Map<Cell, Outcome> outcomes) {
    StringBuilder text = new StringBuilder("### " + title + "\n\n");
    text.append("| partitions x members | ")
        .append(rows().map(Row::toString).collect(joining(" | ")))
        .append(" |\n|---|")
        .append("---|".repeat((int) rows().count()))
        .append('\n');
    boolean sameScenario = groups.stream().map(Group::scenario).distinct().count() == 1;
    for (Group group : groups) {
      text.append("| ").append(group.size());
      if (!sameScenario) {
        text.append(", ").append(group.scenario());
      }
      for (List<Row> run : columns) {
        Outcome base = outcome(outcomes, group, run.get(0));
        for (Row row : run) {
          text.append(" | ").append(outcome(outcomes, group, row).text(base));
        }
      }
      text.append(" |\n");
    }
    return text.toString();
  }

  private static Outcome outcome(Map<Cell, Outcome> outcomes, Group group, Row row) {
    return outcomes.getOrDefault(new Cell(group, row), new Outcome.Unmeasured("not measured"));
  }
}
