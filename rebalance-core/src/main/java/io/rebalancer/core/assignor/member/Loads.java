package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.Arrays;

/**
 * What partitions weigh and members carry, in whole units of which all partitions that somebody
 * subscribes to weigh at most 2^60 together: sums are exact, whatever was added and taken away
 * before. What is rounded away is less than a unit for each partition.
 *
 * <p>Quotients are rounded, and rounding keeps order: of two relative loads the one that looks
 * smaller is smaller.
 */
final class Loads {

  private static final int UNIT_BITS = 60;

  /** Next to a larger one than 2^900 times as much, a capacity counts as that: no quotient ends. */
  private static final double LEAST_CAPACITY = 0x1p-900;

  /** By the partition's place. */
  final long[] weights;

  /** By member. */
  final double[] capacities;

  /** By member. */
  final long[] carried;

  private Loads(long[] weights, double[] capacities, long[] carried) {
    this.weights = weights;
    this.capacities = capacities;
    this.carried = carried;
  }

  static Loads of(GroupInput group, Audiences audiences, int[] owners) {
    long[] weights = units(group, audiences);
    long[] carried = new long[group.ids.length];
    for (int place = 0; place < owners.length; place++) {
      if (owners[place] != NOBODY) {
        carried[owners[place]] += weights[place];
      }
    }
    return new Loads(weights, capacities(group), carried);
  }

  /** The same members; what counts is how many partitions they have. */
  Loads byNumber(int[] owners) {
    long[] ones = new long[weights.length];
    Arrays.fill(ones, 1);
    long[] owned = new long[carried.length];
    for (int owner : owners) {
      if (owner != NOBODY) {
        owned[owner]++;
      }
    }
    return new Loads(ones, capacities, owned);
  }

  private static long[] units(GroupInput group, Audiences audiences) {
    long[] units = new long[group.partitions.size()];
    if (group.weights.length == 0) {
      Arrays.fill(units, 1);
      return units;
    }
    double[] weights = group.weights.clone();
    for (int t = 0; t < group.partitions.topics(); t++) {
      if (audiences.ofTopic[t] == Audiences.NONE) {
        Arrays.fill(weights, group.partitions.starts[t], group.partitions.starts[t + 1], 0);
      }
    }
    double most = Arrays.stream(weights).max().orElse(0);
    if (most > 0) {
      int exponent = Math.getExponent(most);
      double sum = 0;
      for (double weight : weights) {
        sum += Math.scalb(weight, -exponent);
      }
      int shift = UNIT_BITS - 1 - Math.getExponent(sum) - exponent;
      for (int place = 0; place < units.length; place++) {
        units[place] = (long) Math.rint(Math.scalb(weights[place], shift));
      }
    }
    return units;
  }

  private static double[] capacities(GroupInput group) {
    double most = 0;
    for (GroupInput.Member member : group.members) {
      most = Math.max(most, member.capacity());
    }
    int exponent = Math.getExponent(most);
    double[] capacities = new double[group.members.length];
    for (int m = 0; m < capacities.length; m++) {
      capacities[m] = Math.max(LEAST_CAPACITY, Math.scalb(group.members[m].capacity(), -exponent));
    }
    return capacities;
  }

  double relative(int member) {
    return carried[member] / capacities[member];
  }

  /** What a member's relative load would be with so much more. */
  double with(int member, long weight) {
    return (carried[member] + weight) / capacities[member];
  }
}
