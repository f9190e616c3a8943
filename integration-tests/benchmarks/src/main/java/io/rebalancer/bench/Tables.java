package io.rebalancer.bench;

import io.rebalancer.bench.Cell.Group;
import java.util.ArrayList;
import java.util.List;

/** The tables of docs/performance.md. */
final class Tables {

  private static final List<Row> STICKY =
      List.of(Row.STICKY, Row.KAFKA_UNIFORM, Row.KAFKA_STICKY, Row.KAFKA_COOPERATIVE);
  private static final List<Row> RANGE = List.of(Row.RANGE, Row.KAFKA_RANGE);
  private static final List<Row> ROUND_ROBIN = List.of(Row.ROUND_ROBIN, Row.KAFKA_ROUND_ROBIN);
  private static final List<Row> FORMS =
      List.of(Row.STICKY, Row.COOPERATIVE, Row.SHARES, Row.ANEW, Row.CLAIMS, Row.WHOLE);

  private Tables() {}

  /**
   * Which groups there are.
   *
   * @param chosen whether somebody named the sizes; else those that not all tables need are few
   */
  record Scope(
      List<Integer> partitions,
      List<Integer> members,
      List<Subscriptions> subscriptions,
      List<Change> changes,
      boolean chosen) {

    Scope {
      partitions = List.copyOf(partitions);
      members = List.copyOf(members);
      subscriptions = List.copyOf(subscriptions);
      changes = List.copyOf(changes);
    }

    private Scope at(List<Integer> fewPartitions, List<Integer> fewMembers) {
      return chosen ? this : new Scope(fewPartitions, fewMembers, subscriptions, changes, false);
    }

    private Scope when(Subscriptions subscription, Change change) {
      return new Scope(partitions, members, List.of(subscription), List.of(change), chosen);
    }

    private List<Group> groups() {
      List<Group> groups = new ArrayList<>();
      for (Subscriptions subscription : subscriptions) {
        for (Change change : changes) {
          for (int count : partitions) {
            for (int group : members) {
              groups.add(new Group(count, group, subscription, change));
            }
          }
        }
      }
      return groups;
    }
  }

  static List<Table> quick(Scope scope) {
    return compared(scope);
  }

  static List<Table> full(Scope scope) {
    List<Table> tables = new ArrayList<>(compared(scope));
    Scope few = scope.at(List.of(100_000, 1_000_000), List.of(1_000));
    for (Subscriptions subscription : scope.subscriptions()) {
      tables.add(
          new Table(
              "Range and round robin: " + new Group(0, 0, subscription, Change.FRESH).scenario(),
              few.when(subscription, Change.FRESH).groups(),
              List.of(RANGE, ROUND_ROBIN),
              ""));
    }
    tables.add(
        new Table("Ours in other forms of input and output", few.groups(), List.of(FORMS), ""));
    if (!scope.chosen()) { // Of other sizes --heap tells.
      tables.add(
          new Table(
              "Ours with 512 MB of heap",
              scope.at(List.of(1_000_000), List.of(10_000)).groups(),
              List.of(List.of(Row.STICKY, Row.WHOLE)),
              "512m"));
    }
    return tables;
  }

  private static List<Table> compared(Scope scope) {
    List<Table> tables = new ArrayList<>();
    for (Subscriptions subscription : scope.subscriptions()) {
      for (Change change : scope.changes()) {
        Scope one = scope.when(subscription, change);
        tables.add(
            new Table(
                "Sticky: " + new Group(0, 0, subscription, change).scenario(),
                one.groups(),
                List.of(STICKY),
                ""));
      }
    }
    return tables;
  }
}
