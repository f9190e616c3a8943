package io.rebalancer.bench;

import java.util.Locale;

/** One number of a table: a row's assignor on one group. */
record Cell(Group group, Row row) {

  /** One group and what it is assigned for. */
  record Group(int partitions, int members, Subscriptions subscriptions, Change change) {

    /** Such as {@code 100,000 x 1,000}. */
    String size() {
      return String.format(Locale.ROOT, "%,d x %,d", partitions, members);
    }

    String scenario() {
      return (subscriptions + ", " + change).toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How many pairs of a partition and a member there are, if it is kafka's client that tries most
   * of them: its sticky ones do so when subscriptions are different, again and again.
   */
  long tries() {
    return row.isStickyClient() && group.subscriptions() == Subscriptions.MIXED
        ? (long) group.partitions() * group.members()
        : 0;
  }

  @Override
  public String toString() {
    return group.scenario() + ", " + group.size() + ", " + row;
  }
}
