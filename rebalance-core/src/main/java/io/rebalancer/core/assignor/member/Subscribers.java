package io.rebalancer.core.assignor.member;

/**
 * For each topic the members that subscribe to it, by their places, ascending; and for each of them
 * which of its own topics that is.
 */
final class Subscribers {

  private final int[] starts;
  private final int[] members;
  private final int[] indexes;

  private Subscribers(int[] starts, int[] members, int[] indexes) {
    this.starts = starts;
    this.members = members;
    this.indexes = indexes;
  }

  static Subscribers of(GroupInput group) {
    int[] starts = new int[group.partitions.topics() + 1];
    for (int[] topics : group.subscriptions) {
      for (int t : topics) {
        starts[t + 1]++;
      }
    }
    for (int t = 1; t < starts.length; t++) {
      starts[t] = Math.addExact(starts[t], starts[t - 1]);
    }
    int[] next = starts.clone();
    int[] members = new int[starts[starts.length - 1]];
    int[] indexes = new int[members.length];
    for (int m = 0; m < group.subscriptions.length; m++) {
      int[] topics = group.subscriptions[m];
      for (int k = 0; k < topics.length; k++) {
        int at = next[topics[k]]++;
        members[at] = m;
        indexes[at] = k;
      }
    }
    return new Subscribers(starts, members, indexes);
  }

  int count(int topic) {
    return starts[topic + 1] - starts[topic];
  }

  int member(int topic, int i) {
    return members[starts[topic] + i];
  }

  /** Which of the topics of its {@code i}th subscriber the topic is. */
  int index(int topic, int i) {
    return indexes[starts[topic] + i];
  }
}
