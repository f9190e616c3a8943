package io.rebalancer.core.assignor.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Among balanced numbers those that leave most partitions where they are. As long as there is a
 * cycle of hand-overs that wins back more than it gives away, it is carried out (Klein's cycle
 * cancelling). Two members whose loads differ by one may swap them, which leaves the balance as it
 * is: for each load there is a node through which such paths close.
 */
final class FewestMoves {

  private static final int NONE = -1;

  private final Counts counts;
  private final int[] loads;
  private final int members;
  private final int topics;
  private int[] price = {};
  private int[] before = {};

  FewestMoves(Counts counts, int[] loads) {
    this.counts = counts;
    this.loads = loads;
    this.members = loads.length;
    this.topics = counts.changed.length;
  }

  void find() {
    while (counts.moves() > 0) {
      List<Integer> cycles = winningCycles();
      if (cycles.isEmpty()) {
        return;
      }
      cycles.forEach(this::carryOut);
    }
  }

  /**
   * Of each cycle found whose prices sum to less than nothing one node (Bellman and Ford). Each
   * node has one before it, so that no two cycles have a node in common and all can be carried out.
   */
  private List<Integer> winningCycles() {
    int nodes = members + topics + 1 + Arrays.stream(loads).max().orElse(0);
    price = new int[nodes];
    before = new int[nodes];
    Arrays.fill(before, NONE);
    while (true) {
      boolean cheaper = false;
      for (int m = 0; m < members; m++) {
        for (int k = 0; k < counts.topics[m].length; k++) {
          int topic = members + counts.topics[m][k];
          if (counts.now[m][k] > 0) {
            cheaper |= relax(m, topic, counts.priceToGive(m, k));
          }
          cheaper |= relax(topic, m, counts.now[m][k] < counts.owned[m][k] ? -1 : 0);
        }
      }
      for (int m = 0; m < members; m++) {
        cheaper |= relax(m, level(loads[m]), 0);
        if (loads[m] > 0) {
          cheaper |= relax(level(loads[m] - 1), m, 0);
        }
      }
      if (!cheaper) {
        return List.of();
      }
      List<Integer> cycles = cycles();
      if (!cycles.isEmpty()) {
        return cycles;
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

  private List<Integer> cycles() {
    List<Integer> found = new ArrayList<>();
    int[] seen = new int[before.length];
    for (int start = 0; start < before.length; start++) {
      int node = start;
      while (node != NONE && seen[node] == 0) {
        seen[node] = start + 1;
        node = before[node];
      }
      if (node != NONE && seen[node] == start + 1) {
        found.add(node);
      }
    }
    return found;
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
      return counts.atThatPrice(from, counts.index(from, to - members));
    }
    if (isTopic(from)) {
      int k = counts.index(to, from - members);
      int lacking = counts.owned[to][k] - counts.now[to][k];
      return lacking > 0 ? lacking : Integer.MAX_VALUE;
    }
    return 1;
  }

  private void apply(int from, int to, int amount) {
    if (isTopic(to)) {
      counts.add(from, counts.index(from, to - members), -amount);
      loads[from] -= amount;
    } else if (isTopic(from)) {
      counts.add(to, counts.index(to, from - members), amount);
      loads[to] += amount;
    }
  }

  private boolean isTopic(int node) {
    return node >= members && node < members + topics;
  }
}
