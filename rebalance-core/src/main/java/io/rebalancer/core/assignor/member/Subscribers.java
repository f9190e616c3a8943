package io.rebalancer.core.assignor.member;

import java.util.Arrays;

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
    boolean[] all = new boolean[group.partitions.topics()];
    Arrays.fill(all, true);
    return of(group, all);
  }

  /** Of some topics alone; the others appear as if nobody subscribed to them. */
  static Subscribers of(GroupInput group, boolean[] wanted) {
    int[] starts = new int[wanted.length + 1];
    for (int[] topics : group.subscriptions) {
      for (int t : topics) {
        if (wanted[t]) {
          starts[t + 1]++;
        }
      }
    }
    for (int t = 1; t < starts.length; t++) {
      starts[t] = Math.addExact(starts[t], starts[t - 1]);
    }
    int[] next = starts.clone();
    int[] members = new int[starts[wanted.length]];
    int[] indexes = new int[members.length];
    for (int m = 0; m < group.subscriptions.length; m++) {
      int[] topics = group.subscriptions[m];
      for (int k = 0; k < topics.length; k++) {
        if (wanted[topics[k]]) {
          int at = next[topics[k]]++;
          members[at] = m;
          indexes[at] = k;
        }
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
