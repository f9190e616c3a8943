package io.rebalancer.core.assignor.member;

import java.util.Arrays;

/**
 * The partitions that somebody subscribes to, audience by audience, in each the heaviest first and
 * of equal ones the first by place. A partition's rank is where it comes in this order.
 */
final class Ranking {

  private static final int DIGIT_BITS = 11;
  private static final int DIGITS = 1 << DIGIT_BITS;

  /** By rank. */
  final int[] places;

  /** For each audience the first rank; at the end the number of all. */
  final int[] starts;

  private final long[] weights;

  private Ranking(int[] places, int[] starts, long[] weights) {
    this.places = places;
    this.starts = starts;
    this.weights = weights;
  }

  static Ranking of(GroupInput group, Audiences audiences, long[] weights) {
    int[] audience = new int[weights.length];
    int[] starts = new int[audiences.count() + 1];
    for (int t = 0; t < group.partitions.topics(); t++) {
      int of = audiences.ofTopic[t];
      Arrays.fill(audience, group.partitions.starts[t], group.partitions.starts[t + 1], of);
      if (of != Audiences.NONE) {
        starts[of + 1] += group.partitions.size(t);
      }
    }
    for (int a = 1; a < starts.length; a++) {
      starts[a] += starts[a - 1];
    }
    int[] next = starts.clone();
    int[] places = new int[starts[starts.length - 1]];
    for (int place : heaviestFirst(weights)) {
      if (audience[place] != Audiences.NONE) {
        places[next[audience[place]]++] = place;
      }
    }
    return new Ranking(places, starts, weights);
  }

  /** Digit by digit, the last one first; each pass keeps the order of what it finds equal. */
  private static int[] heaviestFirst(long[] weights) {
    long most = Arrays.stream(weights).max().orElse(0);
    int[] order = new int[weights.length];
    Arrays.setAll(order, place -> place);
    int[] sorted = new int[order.length];
    for (int shift = 0; most >>> shift > 0; shift += DIGIT_BITS) {
      int[] starts = new int[DIGITS + 1];
      for (long weight : weights) {
        starts[digit(most - weight, shift) + 1]++;
      }
      if (starts[digit(most - weights[0], shift) + 1] == order.length) {
        continue; // All have the same one.
      }
      for (int digit = 0; digit < DIGITS; digit++) {
        starts[digit + 1] += starts[digit];
      }
      for (int place : order) {
        sorted[starts[digit(most - weights[place], shift)]++] = place;
      }
      int[] done = sorted;
      sorted = order;
      order = done;
    }
    return order;
  }

  private static int digit(long number, int shift) {
    return (int) (number >>> shift) & (DIGITS - 1);
  }

  long weight(int rank) {
    return weights[places[rank]];
  }

  /** The first rank of an audience whose partition weighs no more, or the end of the audience. */
  int firstAtMost(int audience, long weight) {
    int low = starts[audience];
    int high = starts[audience + 1];
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (weight(middle) <= weight) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
