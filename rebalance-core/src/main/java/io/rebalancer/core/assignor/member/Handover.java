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

  /** The topic by which a class was reached, and which of its own that is. */
  private final int[] byTopic;

  private final int[] byIndex;

  /** Who gives of a topic, and which of its own that is. */
  private final int[] giver;

  private final int[] giverIndex;

  /** What handing on a topic costs. */
  private final int[] price;

  /** The members reached so far, the cheapest first. */
  private final int[] members;

  /** Those that can take, by load and then in order. */
  private final long[] byLoad;

  private int found;
  private int from;
  private int least;

  /** How many can be reached at most, and topics that nobody gives of yet. */
  private int all;

  private int topicsLeft;

  Handover(Subscribers subscribers, Counts counts, int[] loads, boolean[] settled) {
    this.subscribers = subscribers;
    this.counts = counts;
    this.loads = loads;
    this.settled = settled;
    reached = new boolean[subscribers.members.length];
    byTopic = new int[reached.length];
    byIndex = new int[reached.length];
    members = new int[loads.length];
    giver = new int[counts.changed.length];
    giverIndex = new int[counts.changed.length];
    price = new int[counts.changed.length];
    byLoad = new long[loads.length];
  }

  /**
   * Handovers of one search, or the finding that there is none: then all that can be reached are as
   * balanced as they can be, and settled.
   *
   * @param leastLoad the load that nobody is below
   * @param most how many partitions at most
   * @param unsettled how many members are not settled
   */
  void relieve(int member, int leastLoad, int most, int unsettled) {
    from = member;
    all = unsettled;
    least = leastLoad;
    int takers = search();
    if (takers == 0) {
      for (int i = 0; i < found; i++) {
        settled[members[i]] = true;
      }
      return;
    }
    Arrays.sort(byLoad, 0, takers);
    int left = most;
    for (int i = 0; i < takers && left > 0; i++) {
      int to = (int) byLoad[i];
      int amount = Math.min(Math.min((loads[from] - loads[to]) / 2, left), capacity(to));
      if (amount > 0) {
        hand(to, amount);
        loads[from] -= amount;
        loads[to] += amount;
        left -= amount;
      }
    }
  }

  /** How many can take some at the lowest price there is; they come into {@link #byLoad}. */
  private int search() {
    Arrays.fill(reached, false);
    Arrays.fill(giver, NONE);
    members[0] = from;
    found = 1;
    topicsLeft = giver.length;
    int start = 0;
    while (start < found) {
      int takers = 0;
      for (int i = start; i < found; i++) {
        int m = members[i];
        if (takes(m)) {
          takers = add(takers, m);
        }
        int best = loads[m] == least && takes(m) ? m : NONE;
        if (best == NONE && counts.hasSurplus(m)) {
          best = expand(m, 0);
        }
        if (best != NONE) {
          return add(0, best);
        }
      }
      if (takers > 0) {
        return takers;
      }
      int end = found;
      for (int i = start; i < end; i++) {
        int best = expand(members[i], 1);
        if (best != NONE) {
          return add(0, best);
        }
      }
      start = end;
    }
    return 0;
  }

  private boolean takes(int m) {
    return loads[m] <= loads[from] - 2;
  }

  private int add(int takers, int m) {
    byLoad[takers] = ((long) loads[m] << 32) | m;
    return takers + 1;
  }

  /**
   * Reaches on by what costs so much; stops at a least loaded one that can take, and returns it.
   */
  private int expand(int m, int cost) {
    int[] topics = counts.topics[m];
    for (int k = 0; k < topics.length && topicsLeft > 0 && found < all; k++) {
      int t = topics[k];
      if (giver[t] != NONE || counts.now[m][k] == 0 || counts.priceToGive(m, k) != cost) {
        continue;
      }
      topicsLeft--;
      giver[t] = m;
      giverIndex[t] = k;
      price[t] = cost;
      for (int i = 0; i < subscribers.classes(t); i++) {
        int next = subscribers.classAt(t, i);
        if (!reached[next]) {
          reached[next] = true;
          byTopic[next] = t;
          byIndex[next] = subscribers.index(t, i);
          int best = reach(subscribers.members[next]);
          if (best != NONE) {
            return best;
          }
        }
      }
    }
    return NONE;
  }

  private int reach(int[] alike) {
    for (int m : alike) {
      if (!settled[m] && m != from) {
        members[found++] = m;
        if (loads[m] == least && takes(m)) {
          return m;
        }
      }
    }
    return NONE;
  }

  /** How many can be handed to one at the price that was found; earlier handovers use it up. */
  private int capacity(int to) {
    int capacity = Integer.MAX_VALUE;
    for (int m = to; m != from; m = giver[byTopic[subscribers.classOf[m]]]) {
      int t = byTopic[subscribers.classOf[m]];
      boolean same = counts.priceToGive(giver[t], giverIndex[t]) == price[t];
      capacity = Math.min(capacity, same ? counts.atThatPrice(giver[t], giverIndex[t]) : 0);
    }
    return capacity;
  }

  private void hand(int to, int amount) {
    for (int m = to; m != from; ) {
      int alike = subscribers.classOf[m];
      int t = byTopic[alike];
      counts.add(giver[t], giverIndex[t], -amount);
      counts.add(m, byIndex[alike], amount);
      m = giver[t];
    }
  }
}
