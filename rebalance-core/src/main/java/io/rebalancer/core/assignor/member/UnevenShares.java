package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * Divides a group in which subscriptions differ. Partitions of one topic with one owner are alike,
 * so that what counts is how many of each topic each member gets.
 *
 * <p>Loads are balanced when no path leads from a member by way of topics to one with at least two
 * fewer (optimal semi-matching, Harvey et al. 2003; such loads are the least in every symmetric and
 * convex measure). Each step lowers the sum of squares, so that it ends. {@link FewestMoves} then
 * finds among balanced numbers those that leave most partitions where they are.
 */
final class UnevenShares {

  private static final int NONE = -1;

  private final GroupInput group;
  private final int[] owners;
  private final Subscribers subscribers;
  private final Counts counts;
  private final int[] loadsBefore;
  private final int[] loads;

  UnevenShares(GroupInput group, int[] owners) {
    this.group = group;
    this.owners = owners;
    this.subscribers = Subscribers.of(group);
    this.counts = new Counts(group, owners);
    this.loadsBefore = Claims.loads(group, owners);
    this.loads = loadsBefore.clone();
  }

  void divide() {
    int free = fill();
    if (balance() && counts.moves() > fewestConceivable(free)) {
      new FewestMoves(counts, loads).find();
    }
    deal();
  }

  /** What nobody owns goes to the least loaded, the topics with the fewest subscribers first. */
  private int fill() {
    int[] free = new int[group.partitions.topics()];
    int all = 0;
    long[] order = new long[free.length];
    int found = 0;
    for (int t = 0; t < free.length; t++) {
      if (subscribers.count(t) > 0) {
        for (int place = group.partitions.starts[t];
            place < group.partitions.starts[t + 1];
            place++) {
          free[t] += owners[place] == NOBODY ? 1 : 0;
        }
        if (free[t] > 0) {
          order[found++] = ((long) subscribers.count(t) << 32) | t;
          all += free[t];
        }
      }
    }
    Arrays.sort(order, 0, found);
    for (int i = 0; i < found; i++) {
      int t = (int) order[i];
      fill(t, free[t]);
    }
    return all;
  }

  /** As water finds its level: all that lie below it come up to it, some one higher. */
  private void fill(int t, int free) {
    int level = levelFor(t, free);
    int left = free;
    for (int i = 0; i < subscribers.count(t); i++) {
      left -= Math.max(0, level - loads[subscribers.member(t, i)]);
    }
    for (int i = 0; i < subscribers.count(t); i++) {
      int m = subscribers.member(t, i);
      if (loads[m] <= level) {
        int more = left > 0 ? 1 : 0;
        int given = level - loads[m] + more;
        left -= more;
        if (given > 0) {
          counts.add(m, subscribers.index(t, i), given);
          loads[m] += given;
        }
      }
    }
  }

  /** The highest level that {@code free} partitions suffice for. */
  private int levelFor(int t, int free) {
    int low = Integer.MAX_VALUE;
    for (int i = 0; i < subscribers.count(t); i++) {
      low = Math.min(low, loads[subscribers.member(t, i)]);
    }
    int high = low + free;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      long below = 0;
      for (int i = 0; i < subscribers.count(t); i++) {
        below += Math.max(0, middle - loads[subscribers.member(t, i)]);
      }
      if (below <= free) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** Hands partitions on until nobody can; whether anything was handed on. */
  private boolean balance() {
    boolean[] settled = new boolean[loads.length];
    Search search = new Search(settled);
    boolean any = false;
    while (true) {
      int most = NONE;
      int least = Integer.MAX_VALUE;
      for (int m = 0; m < loads.length; m++) {
        if (!settled[m]) {
          most = most == NONE || loads[m] > loads[most] ? m : most;
          least = Math.min(least, loads[m]);
        }
      }
      if (most == NONE || loads[most] - least <= 1) {
        return any;
      }
      int to = search.nearest(most, least);
      if (to == NONE) {
        search.settleReached(); // All that can be reached are as balanced as they can be.
      } else {
        any = true;
        int amount = Math.min((loads[most] - loads[to]) / 2, search.capacity(to));
        search.hand(to, amount);
        loads[most] -= amount;
        loads[to] += amount;
      }
    }
  }

  /**
   * What somebody gains was free or moves. Balanced loads are the same numbers however they are
   * divided, and gains are least when who has most before has most after.
   */
  private long fewestConceivable(int free) {
    int[] before = loadsBefore.clone();
    int[] after = loads.clone();
    Arrays.sort(before);
    Arrays.sort(after);
    long gains = 0;
    for (int i = 0; i < after.length; i++) {
      gains += Math.max(0, after[i] - before[i]);
    }
    return gains - free;
  }

  /** Everybody keeps the lowest ones that it may; the rest goes to those who get more, in order. */
  private void deal() {
    int[] left = new int[loads.length];
    for (int t = 0; t < group.partitions.topics(); t++) {
      if (!counts.changed[t]) {
        continue;
      }
      for (int i = 0; i < subscribers.count(t); i++) {
        int m = subscribers.member(t, i);
        left[m] = counts.now[m][subscribers.index(t, i)];
      }
      int end = group.partitions.starts[t + 1];
      for (int place = group.partitions.starts[t]; place < end; place++) {
        int m = owners[place];
        if (m != NOBODY && left[m]-- <= 0) {
          owners[place] = NOBODY;
        }
      }
      int taker = 0;
      for (int place = group.partitions.starts[t]; place < end; place++) {
        if (owners[place] == NOBODY) {
          while (left[subscribers.member(t, taker)] <= 0) {
            taker++;
          }
          owners[place] = subscribers.member(t, taker);
          left[owners[place]]--;
        }
      }
    }
  }

  /** Cheapest paths from one member to another that has at least two fewer. */
  private final class Search {
    private final boolean[] blocked;
    private final int[] price = new int[loads.length];
    private final boolean[] done = new boolean[loads.length];
    private final int[] priceOfTopic = new int[group.partitions.topics()];

    /** The topic by which a member was reached, and which of its own that is. */
    private final int[] byTopic = new int[loads.length];

    private final int[] byIndex = new int[loads.length];

    /** Who gives of a topic, and which of its own that is. */
    private final int[] giver = new int[group.partitions.topics()];

    private final int[] giverIndex = new int[group.partitions.topics()];
    private final ArrayDeque<Integer> queue = new ArrayDeque<>();
    private int from;
    private int least;

    Search(boolean[] blocked) {
      this.blocked = blocked;
    }

    /**
     * Of the cheapest to reach the least loaded, or none.
     *
     * @param least the load that nobody is below
     */
    int nearest(int from, int least) {
      this.from = from;
      this.least = least;
      Arrays.fill(price, Integer.MAX_VALUE);
      Arrays.fill(priceOfTopic, Integer.MAX_VALUE);
      Arrays.fill(done, false);
      queue.clear();
      price[from] = 0;
      queue.add(from);
      int best = NONE;
      while (!queue.isEmpty()) {
        int m = queue.poll();
        if (done[m]) {
          continue;
        }
        if (best != NONE && price[m] > price[best]) {
          return best;
        }
        done[m] = true;
        if (m != from && loads[m] <= loads[from] - 2 && (best == NONE || loads[m] < loads[best])) {
          best = m;
        }
        if (best != NONE && loads[best] == least) {
          return best;
        }
        int found = expand(m, 0);
        if (found == NONE && best == NONE) {
          found = expand(m, 1); // Where one is known at this price, dearer ones do not matter.
        }
        if (found != NONE) {
          return found;
        }
      }
      return best;
    }

    /**
     * Reaches on by what costs so much more.
     *
     * @return a least loaded one that nothing can be cheaper than, or none
     */
    private int expand(int m, int more) {
      int cost = price[m] + more;
      boolean cheapest = more == 0 || queue.isEmpty() || price[queue.peekFirst()] > price[m];
      int[] topics = counts.topics[m];
      for (int k = 0; k < topics.length; k++) {
        int t = topics[k];
        if (counts.now[m][k] == 0 || counts.priceToGive(m, k) != more || cost >= priceOfTopic[t]) {
          continue;
        }
        priceOfTopic[t] = cost;
        giver[t] = m;
        giverIndex[t] = k;
        for (int i = 0; i < subscribers.count(t); i++) {
          int next = subscribers.member(t, i);
          if (blocked[next] || done[next] || cost >= price[next]) {
            continue;
          }
          price[next] = cost;
          byTopic[next] = t;
          byIndex[next] = subscribers.index(t, i);
          if (cheapest && loads[next] == least && loads[next] <= loads[from] - 2) {
            return next;
          }
          if (more == 0) {
            queue.addFirst(next);
          } else {
            queue.addLast(next);
          }
        }
      }
      return NONE;
    }

    int capacity(int to) {
      int capacity = Integer.MAX_VALUE;
      for (int m = to; m != from; m = giver[byTopic[m]]) {
        int t = byTopic[m];
        capacity = Math.min(capacity, counts.atThatPrice(giver[t], giverIndex[t]));
      }
      return capacity;
    }

    void hand(int to, int amount) {
      for (int m = to; m != from; ) {
        int t = byTopic[m];
        counts.add(giver[t], giverIndex[t], -amount);
        counts.add(m, byIndex[m], amount);
        m = giver[t];
      }
    }

    void settleReached() {
      for (int m = 0; m < done.length; m++) {
        blocked[m] |= done[m];
      }
    }
  }
}
