package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.Arrays;

/** How many partitions of each topic that it subscribes to each member owned and is to own. */
final class Counts {

  /** For each member its topics, ascending. */
  final int[][] topics;

  final int[][] owned;
  final int[][] now;

  /** The topics of which somebody is to own more or fewer than before. */
  final boolean[] changed;

  /** How many of its topics each member is to own more of than it owned. */
  private final int[] surplusTopics;

  Counts(GroupInput group, int[] ownersBefore, int[] owners) {
    topics = group.subscriptions;
    owned = count(group, ownersBefore);
    now = count(group, owners);
    changed = new boolean[group.partitions.topics()];
    surplusTopics = new int[topics.length];
    for (int m = 0; m < topics.length; m++) {
      for (int k = 0; k < topics[m].length; k++) {
        surplusTopics[m] += now[m][k] > owned[m][k] ? 1 : 0;
      }
    }
  }

  private static int[][] count(GroupInput group, int[] owners) {
    int[][] topics = group.subscriptions;
    int[][] counts = new int[topics.length][];
    for (int m = 0; m < topics.length; m++) {
      counts[m] = new int[topics[m].length];
    }
    int[] next = new int[topics.length];
    for (int t = 0; t < group.partitions.topics(); t++) {
      for (int place = group.partitions.starts[t];
          place < group.partitions.starts[t + 1];
          place++) {
        int m = owners[place];
        if (m != NOBODY) {
          while (topics[m][next[m]] < t) {
            next[m]++;
          }
          counts[m][next[m]]++;
        }
      }
    }
    return counts;
  }

  /** Which of a member's topics a topic is. */
  int index(int member, int topic) {
    return Arrays.binarySearch(topics[member], topic);
  }

  void add(int member, int index, int count) {
    int surplus = now[member][index] - owned[member][index];
    now[member][index] += count;
    surplusTopics[member] += (surplus + count > 0 ? 1 : 0) - (surplus > 0 ? 1 : 0);
    changed[topics[member][index]] = true;
  }

  /** What giving one away costs: what was owned and is given away is a move. */
  int priceToGive(int member, int index) {
    return now[member][index] > owned[member][index] ? 0 : 1;
  }

  /** Whether a member can give something away that it did not own. */
  boolean hasSurplus(int member) {
    return surplusTopics[member] > 0;
  }

  /** How many can be given away at that price. */
  int atThatPrice(int member, int index) {
    int surplus = now[member][index] - owned[member][index];
    return surplus > 0 ? surplus : now[member][index];
  }

  /** How many partitions change hands although their owner subscribes still. */
  long moves() {
    long moves = 0;
    for (int m = 0; m < now.length; m++) {
      for (int k = 0; k < now[m].length; k++) {
        moves += Math.max(0, owned[m][k] - now[m][k]);
      }
    }
    return moves;
  }
}
