package io.rebalancer.core.assignor.member;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * How many partitions of each topic each member gets when subscriptions differ. Partitions of one
 * topic with one owner are alike, so that this is a flow of numbers from topics to members.
 *
 * <p>Loads are balanced when no path leads from a member by way of topics to one with at least two
 * fewer (optimal semi-matching, Harvey et al. 2003; such loads are the least in every symmetric and
 * convex measure). Of the balanced ones, that with the fewest moves is found by cancelling cycles
 * that win back more than they lose. Each step lowers the sum of squares or the number of moves, so
 * that it ends.
 */
final class BalancedCounts {

  private static final int NONE = -1;

  private final int[][] subscribers;
  private final int[][] counts;
  private final int[][] owned;
  private final int[] loads;

  /** For each member its topics, and its place among the subscribers of each. */
  private final int[][] topicsOf;

  private final int[][] placeIn;

  BalancedCounts(Claims claims) {
    subscribers = claims.subscribers;
    owned = claims.ownedCounts();
    counts = claims.ownedCounts();
    loads = claims.loads.clone();
    topicsOf = new int[loads.length][];
    placeIn = new int[loads.length][];
    index();
    fill(claims);
    balance();
    new FewestMoves(subscribers, counts, owned, loads).find();
  }

  int[][] counts() {
    return counts;
  }

  private void index() {
    int[] sizes = new int[loads.length];
    for (int[] found : subscribers) {
      for (int m : found) {
        sizes[m]++;
      }
    }
    for (int m = 0; m < loads.length; m++) {
      topicsOf[m] = new int[sizes[m]];
      placeIn[m] = new int[sizes[m]];
    }
    int[] next = new int[loads.length];
    for (int t = 0; t < subscribers.length; t++) {
      for (int j = 0; j < subscribers[t].length; j++) {
        int m = subscribers[t][j];
        topicsOf[m][next[m]] = t;
        placeIn[m][next[m]++] = j;
      }
    }
  }

  /** What nobody owns goes to the least loaded, the topics with the fewest subscribers first. */
  private void fill(Claims claims) {
    IntStream.range(0, subscribers.length)
        .filter(t -> subscribers[t].length > 0)
        .boxed()
        .sorted(Comparator.comparing((Integer t) -> subscribers[t].length))
        .forEach(t -> fill(t, claims.partitions[t].size() - IntStream.of(counts[t]).sum()));
  }

  private void fill(int t, int free) {
    int[] found = subscribers[t];
    int[] byLoad =
        IntStream.range(0, found.length)
            .boxed()
            .sorted(Comparator.comparing((Integer j) -> loads[found[j]]))
            .mapToInt(Integer::intValue)
            .toArray();
    int left = free;
    int level = 1;
    while (left > 0) {
      int target = level < byLoad.length ? loads[found[byLoad[level]]] : Integer.MAX_VALUE;
      long room = 0;
      for (int i = 0; i < level; i++) {
        room += (long) target - loads[found[byLoad[i]]];
      }
      if (room <= left) {
        for (int i = 0; i < level; i++) {
          give(t, byLoad[i], target - loads[found[byLoad[i]]]);
        }
        left -= (int) room;
      } else {
        int each = left / level;
        int more = left % level;
        for (int i = 0; i < level; i++) {
          give(t, byLoad[i], each + (i < more ? 1 : 0));
        }
        left = 0;
      }
      level = Math.min(level + 1, byLoad.length);
    }
  }

  private void give(int t, int j, int count) {
    counts[t][j] += count;
    loads[subscribers[t][j]] += count;
  }

  private void balance() {
    boolean[] settled = new boolean[loads.length];
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
        return;
      }
      relieve(most, settled);
    }
  }

  /**
   * Hands partitions on from {@code from} to whoever has at least two fewer, at the lowest price;
   * where there is nobody, all that can be reached are as balanced as they can be.
   */
  private void relieve(int from, boolean[] settled) {
    Search search = new Search(from, settled);
    int to = search.nearest(loads[from] - 2);
    if (to == NONE) {
      search.reached(settled);
      return;
    }
    int amount = Math.min((loads[from] - loads[to]) / 2, search.capacity(to));
    search.hand(to, amount);
    loads[from] -= amount;
    loads[to] += amount;
  }

  /** Shortest paths from one member; a step that gives away what was owned costs one. */
  private final class Search {
    private final int from;
    private final boolean[] blocked;
    private final int[] price = new int[loads.length];
    private final int[] priceOfTopic = new int[subscribers.length];

    /** The topic by which a member was reached, and the giver's place among its subscribers. */
    private final int[] byTopic = new int[loads.length];

    private final int[] giverPlace = new int[subscribers.length];
    private final int[] placeOf = new int[loads.length];
    private final boolean[] done = new boolean[loads.length];

    Search(int from, boolean[] blocked) {
      this.from = from;
      this.blocked = blocked;
      Arrays.fill(price, Integer.MAX_VALUE);
      Arrays.fill(priceOfTopic, Integer.MAX_VALUE);
      Arrays.fill(byTopic, NONE);
    }

    /** Of the cheapest to reach with at most that load the least loaded, or none. */
    int nearest(int load) {
      ArrayDeque<Integer> queue = new ArrayDeque<>();
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
        if (m != from && loads[m] <= load && (best == NONE || loads[m] < loads[best])) {
          best = m;
        }
        expand(m, queue);
      }
      return best;
    }

    private void expand(int m, ArrayDeque<Integer> queue) {
      for (int k = 0; k < topicsOf[m].length; k++) {
        int t = topicsOf[m][k];
        int j = placeIn[m][k];
        if (counts[t][j] == 0) {
          continue;
        }
        int cost = price[m] + (counts[t][j] > owned[t][j] ? 0 : 1);
        if (cost >= priceOfTopic[t]) {
          continue;
        }
        priceOfTopic[t] = cost;
        giverPlace[t] = j;
        for (int i = 0; i < subscribers[t].length; i++) {
          int next = subscribers[t][i];
          if (!blocked[next] && !done[next] && cost < price[next]) {
            price[next] = cost;
            byTopic[next] = t;
            placeOf[next] = i;
            if (cost == price[m]) {
              queue.addFirst(next);
            } else {
              queue.addLast(next);
            }
          }
        }
      }
    }

    int capacity(int to) {
      int capacity = Integer.MAX_VALUE;
      for (int m = to; m != from; m = giver(m)) {
        int t = byTopic[m];
        int count = counts[t][giverPlace[t]];
        int surplus = count - owned[t][giverPlace[t]];
        capacity = Math.min(capacity, surplus > 0 ? surplus : count);
      }
      return capacity;
    }

    void hand(int to, int amount) {
      for (int m = to; m != from; ) {
        int t = byTopic[m];
        int next = giver(m);
        counts[t][giverPlace[t]] -= amount;
        counts[t][placeOf[m]] += amount;
        m = next;
      }
    }

    private int giver(int m) {
      return subscribers[byTopic[m]][giverPlace[byTopic[m]]];
    }

    void reached(boolean[] into) {
      for (int m = 0; m < done.length; m++) {
        into[m] |= done[m];
      }
    }
  }
}
