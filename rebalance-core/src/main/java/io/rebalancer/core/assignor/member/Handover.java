package io.rebalancer.core.assignor.member;

import java.util.Arrays;

/**
 * Hands partitions on from a member to another with at least two fewer, directly or by way of
 * others, where it costs the fewest moves. The search goes from price to price: first all that can
 * be reached by handing on what nobody owned before, then what can be by one move more, and so on.
 */
final class Handover {

  private static final int NONE = -1;

  private final Subscribers subscribers;
  private final Counts counts;
  private final int[] loads;

  /** Those that neither give nor take any more. */
  private final boolean[] settled;

  private final boolean[] reached;

  /** The topic by which a member was reached, and which of its own that is. */
  private final int[] byTopic;

  private final int[] byIndex;

  /** Who gives of a topic, and which of its own that is. */
  private final int[] giver;

  private final int[] giverIndex;

  /** The members reached so far, the cheapest first. */
  private final int[] members;

  private int found;
  private int from;
  private int least;

  Handover(Subscribers subscribers, Counts counts, int[] loads, boolean[] settled) {
    this.subscribers = subscribers;
    this.counts = counts;
    this.loads = loads;
    this.settled = settled;
    reached = new boolean[loads.length];
    byTopic = new int[loads.length];
    byIndex = new int[loads.length];
    members = new int[loads.length];
    giver = new int[counts.changed.length];
    giverIndex = new int[counts.changed.length];
  }

  /**
   * One handover, or the finding that there is none: then all that can be reached are as balanced
   * as they can be, and settled.
   *
   * @param least the load that nobody is below
   * @param most how many partitions at most
   */
  void relieve(int member, int leastLoad, int most) {
    from = member;
    least = leastLoad;
    int to = nearest();
    if (to == NONE) {
      for (int i = 0; i < found; i++) {
        settled[members[i]] = true;
      }
      return;
    }
    int amount = Math.min(Math.min((loads[from] - loads[to]) / 2, most), capacity(to));
    hand(to, amount);
    loads[from] -= amount;
    loads[to] += amount;
  }

  /** Of the cheapest to reach the least loaded, or none. */
  private int nearest() {
    Arrays.fill(reached, false);
    Arrays.fill(giver, NONE);
    found = 0;
    reach(from, NONE, NONE);
    int start = 0;
    while (start < found) {
      int best = NONE;
      for (int i = start; i < found; i++) {
        int m = members[i];
        best = better(best, m);
        if (isLeast(best)) {
          return best;
        }
        if (counts.hasSurplus(m)) {
          best = better(best, expand(m, 0));
        }
      }
      if (best != NONE) {
        return best;
      }
      int end = found;
      for (int i = start; i < end; i++) {
        int least = expand(members[i], 1);
        if (least != NONE) {
          return least;
        }
      }
      start = end;
    }
    return NONE;
  }

  private int better(int best, int m) {
    boolean takes = m != NONE && m != from && loads[m] <= loads[from] - 2;
    return takes && (best == NONE || loads[m] < loads[best]) ? m : best;
  }

  private boolean isLeast(int m) {
    return m != NONE && loads[m] == least;
  }

  /**
   * Reaches on by what costs so much; stops at a least loaded one that can take, and returns it.
   */
  private int expand(int m, int cost) {
    int[] topics = counts.topics[m];
    for (int k = 0; k < topics.length; k++) {
      int t = topics[k];
      if (giver[t] != NONE || counts.now[m][k] == 0 || counts.priceToGive(m, k) != cost) {
        continue;
      }
      giver[t] = m;
      giverIndex[t] = k;
      for (int i = 0; i < subscribers.count(t); i++) {
        int next = subscribers.member(t, i);
        if (!reached[next] && !settled[next]) {
          reach(next, t, subscribers.index(t, i));
          if (isLeast(better(NONE, next))) {
            return next;
          }
        }
      }
    }
    return NONE;
  }

  private void reach(int m, int topic, int index) {
    reached[m] = true;
    byTopic[m] = topic;
    byIndex[m] = index;
    members[found++] = m;
  }

  private int capacity(int to) {
    int capacity = Integer.MAX_VALUE;
    for (int m = to; m != from; m = giver[byTopic[m]]) {
      int t = byTopic[m];
      capacity = Math.min(capacity, counts.atThatPrice(giver[t], giverIndex[t]));
    }
    return capacity;
  }

  private void hand(int to, int amount) {
    for (int m = to; m != from; ) {
      int t = byTopic[m];
      counts.add(giver[t], giverIndex[t], -amount);
      counts.add(m, byIndex[m], amount);
      m = giver[t];
    }
  }
}
