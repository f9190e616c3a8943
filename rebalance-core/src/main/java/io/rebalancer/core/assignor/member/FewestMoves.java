package io.rebalancer.core.assignor.member;

import java.util.Arrays;

/**
 * Among balanced numbers those that leave most partitions where they are. As long as there is a
 * cycle of hand-overs that wins back more than it gives away, it is carried out (Klein's cycle
 * cancelling). Two members whose loads differ by one may swap them, which leaves the balance as it
 * is: for each load there is a node through which such paths close.
 */
final class FewestMoves {

  private static final int NONE = -1;

  private final int[][] subscribers;
  private final int[][] counts;
  private final int[][] owned;
  private final int[] loads;
  private final int members;
  private final int topics;
  private int[] price = {};
  private int[] before = {};

  FewestMoves(int[][] subscribers, int[][] counts, int[][] owned, int[] loads) {
    this.subscribers = subscribers;
    this.counts = counts;
    this.owned = owned;
    this.loads = loads;
    this.members = loads.length;
    this.topics = subscribers.length;
  }

  void find() {
    while (moves() > 0) {
      int onCycle = winningCycle();
      if (onCycle == NONE) {
        return;
      }
      carryOut(onCycle);
    }
  }

  private int moves() {
    int moves = 0;
    for (int t = 0; t < topics; t++) {
      for (int j = 0; j < counts[t].length; j++) {
        moves += Math.max(0, owned[t][j] - counts[t][j]);
      }
    }
    return moves;
  }

  /** A node on a cycle whose prices sum to less than nothing (Bellman and Ford), or none. */
  private int winningCycle() {
    int nodes = members + topics + 1 + Arrays.stream(loads).max().orElse(0);
    price = new int[nodes];
    before = new int[nodes];
    Arrays.fill(before, NONE);
    while (true) {
      boolean cheaper = false;
      for (int t = 0; t < topics; t++) {
        int topic = members + t;
        for (int j = 0; j < counts[t].length; j++) {
          int m = subscribers[t][j];
          if (counts[t][j] > 0) {
            cheaper |= relax(m, topic, counts[t][j] > owned[t][j] ? 0 : 1);
          }
          cheaper |= relax(topic, m, counts[t][j] < owned[t][j] ? -1 : 0);
        }
      }
      for (int m = 0; m < members; m++) {
        cheaper |= relax(m, level(loads[m]), 0);
        if (loads[m] > 0) {
          cheaper |= relax(level(loads[m] - 1), m, 0);
        }
      }
      if (!cheaper) {
        return NONE;
      }
      int onCycle = cycle();
      if (onCycle != NONE) {
        return onCycle;
      }
    }
  }

  private int level(int load) {
    return members + topics + load;
  }

  private boolean relax(int from, int to, int cost) {
    if (price[from] + cost >= price[to]) {
      return false;
    }
    price[to] = price[from] + cost;
    before[to] = from;
    return true;
  }

  private int cycle() {
    int[] seen = new int[before.length];
    for (int start = 0; start < before.length; start++) {
      int node = start;
      while (node != NONE && seen[node] == 0) {
        seen[node] = start + 1;
        node = before[node];
      }
      if (node != NONE && seen[node] == start + 1) {
        return node;
      }
    }
    return NONE;
  }

  private void carryOut(int onCycle) {
    int amount = Integer.MAX_VALUE;
    int node = onCycle;
    do {
      amount = Math.min(amount, capacity(before[node], node));
      node = before[node];
    } while (node != onCycle);
    do {
      apply(before[node], node, amount);
      node = before[node];
    } while (node != onCycle);
  }

  private int capacity(int from, int to) {
    if (isTopic(to)) {
      int t = to - members;
      int j = Arrays.binarySearch(subscribers[t], from);
      int surplus = counts[t][j] - owned[t][j];
      return surplus > 0 ? surplus : counts[t][j];
    }
    if (isTopic(from)) {
      int t = from - members;
      int j = Arrays.binarySearch(subscribers[t], to);
      int lacking = owned[t][j] - counts[t][j];
      return lacking > 0 ? lacking : Integer.MAX_VALUE;
    }
    return 1;
  }

  private void apply(int from, int to, int amount) {
    if (isTopic(to)) {
      counts[to - members][Arrays.binarySearch(subscribers[to - members], from)] -= amount;
      loads[from] -= amount;
    } else if (isTopic(from)) {
      counts[from - members][Arrays.binarySearch(subscribers[from - members], to)] += amount;
      loads[to] += amount;
    }
  }

  private boolean isTopic(int node) {
    return node >= members && node < members + topics;
  }
}
