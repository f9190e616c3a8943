package io.rebalancer.core.assignor.member;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * For each topic who subscribes to it: by classes of members with equal subscriptions, of which a
 * group has few as a rule. Classes are in the order of their first members.
 */
final class Subscribers {

  /** For each class its members by their places, ascending. */
  final int[][] members;

  /** For each member its class. */
  final int[] classOf;

  private final int[] starts;
  private final int[] classes;
  private final int[] indexes;
  private final int[] counts;

  private Subscribers(GroupInput group, boolean[] wanted) {
    classOf = new int[group.ids.length];
    members = classes(group, classOf);
    starts = new int[wanted.length + 1];
    counts = new int[wanted.length];
    for (int[] alike : members) {
      for (int t : group.subscriptions[alike[0]]) {
        if (wanted[t]) {
          starts[t + 1]++;
          counts[t] += alike.length;
        }
      }
    }
    for (int t = 1; t < starts.length; t++) {
      starts[t] = Math.addExact(starts[t], starts[t - 1]);
    }
    int[] next = starts.clone();
    classes = new int[starts[wanted.length]];
    indexes = new int[classes.length];
    for (int c = 0; c < members.length; c++) {
      int[] topics = group.subscriptions[members[c][0]];
      for (int k = 0; k < topics.length; k++) {
        if (wanted[topics[k]]) {
          int at = next[topics[k]]++;
          classes[at] = c;
          indexes[at] = k;
        }
      }
    }
  }

  static Subscribers of(GroupInput group) {
    boolean[] all = new boolean[group.partitions.topics()];
    Arrays.fill(all, true);
    return of(group, all);
  }

  /** Of some topics alone; the others appear as if nobody subscribed to them. */
  static Subscribers of(GroupInput group, boolean[] wanted) {
    return new Subscribers(group, wanted);
  }

  private static int[][] classes(GroupInput group, int[] classOf) {
    Map<int[], Integer> known = new IdentityHashMap<>();
    int[] sizes = new int[classOf.length];
    for (int m = 0; m < classOf.length; m++) {
      classOf[m] = known.computeIfAbsent(group.subscriptions[m], topics -> known.size());
      sizes[classOf[m]]++;
    }
    int[][] members = new int[known.size()][];
    Arrays.setAll(members, c -> new int[sizes[c]]);
    int[] next = new int[members.length];
    for (int m = 0; m < classOf.length; m++) {
      members[classOf[m]][next[classOf[m]]++] = m;
    }
    return members;
  }

  /** How many members. */
  int count(int topic) {
    return counts[topic];
  }

  /** How many classes. */
  int classes(int topic) {
    return starts[topic + 1] - starts[topic];
  }

  int[] classesOf(int topic) {
    return Arrays.copyOfRange(classes, starts[topic], starts[topic + 1]);
  }

  int classAt(int topic, int i) {
    return classes[starts[topic] + i];
  }

  /** Which of the topics of its {@code i}th class the topic is. */
  int index(int topic, int i) {
    return indexes[starts[topic] + i];
  }

  /** All members, class by class. */
  int[] toArray(int topic) {
    int[] all = new int[counts[topic]];
    int at = 0;
    for (int i = 0; i < classes(topic); i++) {
      int[] alike = members[classAt(topic, i)];
      System.arraycopy(alike, 0, all, at, alike.length);
      at += alike.length;
    }
    return all;
  }
}
