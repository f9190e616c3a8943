package io.rebalancer.core.assignor.member;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A tree over members, those of largest capacity first, so that those below one node are much
 * alike. Each node knows the least that one of its members would carry with a certain weight, the
 * base, and from that and from its largest or smallest capacity how little it can be with another
 * weight: the search leaves out what cannot be better. The nearer weight and base, the less it goes
 * astray; where capacities are equal it goes straight to the least loaded.
 */
final class TakerTree {

  private final Loads loads;
  private final int[] members;

  /** A power of two. */
  private final int leaves;

  /** By leaf, 1 / capacity; those behind the last member are as that one. */
  private final double[] slopes;

  /** By node, 1 the root, 2i and 2i+1 below i: with the base; infinite where nobody is. */
  private final double[] least;

  private long base;

  /** How many nodes were searched since the base was set. */
  private int visits;

  private int best;
  private double bestLoad;

  TakerTree(int[] members, Loads loads) {
    this.loads = loads;
    this.members =
        IntStream.of(members).boxed().sorted(this::order).mapToInt(Integer::intValue).toArray();
    int leaf = 1;
    while (leaf < members.length) {
      leaf *= 2;
    }
    this.leaves = leaf;
    this.slopes = new double[leaves];
    for (int i = 0; i < leaves && members.length > 0; i++) {
      slopes[i] = 1 / loads.capacities[this.members[Math.min(i, members.length - 1)]];
    }
    this.least = new double[2 * leaves];
    rebase(0);
  }

  private int order(int a, int b) {
    int order = Double.compare(loads.capacities[b], loads.capacities[a]);
    return order != 0 ? order : Integer.compare(a, b);
  }

  /** Sets the base; takes as long as a search that leaves out nothing. */
  void rebase(long weight) {
    base = weight;
    visits = 0;
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    for (int i = 0; i < members.length; i++) {
      least[leaves + i] = loads.with(members[i], base);
    }
    for (int node = leaves - 1; node > 0; node--) {
      least[node] = Math.min(least[2 * node], least[2 * node + 1]);
    }
  }

  void update(int member) {
    int low = 0;
    int high = members.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order(members[middle], member) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int node = leaves + low;
    least[node] = loads.with(member, base);
    for (node /= 2; node > 0; node /= 2) {
      least[node] = Math.min(least[2 * node], least[2 * node + 1]);
    }
  }

  /** The least that anybody would carry with the base. */
  double least() {
    return least[1];
  }

  /** Whether going astray has cost as much as another base would. */
  boolean astray() {
    return visits > 4 * leaves;
  }

  /** Who would carry least with so much more; {@link Takers#NONE} in an empty tree. */
  int best(long weight) {
    best = Takers.NONE;
    bestLoad = Double.POSITIVE_INFINITY;
    search(1, 0, leaves, weight);
    return best;
  }

  private void search(int root, int from, int count, long weight) {
    int node = root;
    int first = from;
    int width = count;
    while (width > 1 && slopes[first] == slopes[first + width - 1]) {
      width /= 2;
      node *= 2;
      if (least[node + 1] < least[node]) {
        node++;
        first += width;
      }
    }
    if (width == 1) {
      if (first < members.length && loads.with(members[first], weight) < bestLoad) {
        best = members[first];
        bestLoad = loads.with(best, weight);
      }
      return;
    }
    visits++;
    int half = width / 2;
    double left = bound(2 * node, first, half, weight);
    double right = bound(2 * node + 1, first + half, half, weight);
    if (left <= right && left < bestLoad) {
      search(2 * node, first, half, weight);
    }
    if (right < bestLoad) {
      search(2 * node + 1, first + half, half, weight);
    }
    if (left > right && left < bestLoad) {
      search(2 * node, first, half, weight);
    }
  }

  private double bound(int node, int first, int width, long weight) {
    double slope = weight > base ? slopes[first] : slopes[first + width - 1];
    return least[node] + (weight - base) * slope;
  }
}
