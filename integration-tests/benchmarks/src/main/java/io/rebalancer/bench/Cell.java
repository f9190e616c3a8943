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
   * Whether kafka's client is known not to end within a minute, or not to fit: with different
   * subscriptions it tries every partition with every member that could have it.
   */
  boolean isHopeless() {
    return row.isStickyClient()
        && group.subscriptions() == Subscriptions.MIXED
        && (long) group.partitions() * group.members() > 1_000_000;
  }

  @Override
  public String toString() {
    return group.scenario() + ", " + group.size() + ", " + row;
  }
}
