package io.rebalancer.core.assignor.member;

import java.util.Arrays;

/**
 * Finds among the members of an audience the one that would carry least, in proportion to its
 * capacity, with so much more. Whoever changes a load has to say so.
 */
final class Takers {

  static final int NONE = -1;

  private final Loads loads;
  private final MemberRacks racks;

  /** By rack; empty trees where the audience has nobody in one. */
  private final TakerTree[] trees;

  Takers(int[] members, Loads loads, MemberRacks racks) {
    this.loads = loads;
    this.racks = racks;
    this.trees = new TakerTree[racks.count()];
    int[] sizes = new int[trees.length];
    for (int m : members) {
      sizes[racks.of(m)]++;
    }
    int[][] byRack = new int[trees.length][];
    Arrays.setAll(byRack, rack -> new int[sizes[rack]]);
    for (int i = members.length - 1; i >= 0; i--) {
      int rack = racks.of(members[i]);
      byRack[rack][--sizes[rack]] = members[i];
    }
    Arrays.setAll(trees, rack -> new TakerTree(byRack[rack], loads));
  }

  /** Of those who would carry equally little, one in the rack of a replica of the partition. */
  int best(long weight, int place) {
    int best = trees[0].best(weight);
    for (int rack = 1; rack < trees.length; rack++) {
      int other = trees[rack].best(weight);
      if (other == NONE) {
        continue;
      }
      int order =
          best == NONE ? 1 : Double.compare(loads.with(best, weight), loads.with(other, weight));
      if (order > 0 || (order == 0 && !racks.near(place, best) && racks.near(place, other))) {
        best = other;
      }
    }
    return best;
  }

  /** The least relative load. */
  double least() {
    double least = Double.POSITIVE_INFINITY;
    for (TakerTree tree : trees) {
      least = Math.min(least, tree.least());
    }
    return least;
  }

  /** As {@link #best}, for one weight after the other that differ little. */
  int bestOfMany(long weight, int place) {
    for (TakerTree tree : trees) {
      if (tree.astray()) {
        tree.rebase(weight);
      }
    }
    return best(weight, place);
  }

  /** To be called when the load of a member has changed. */
  void update(int member) {
    trees[racks.of(member)].update(member);
  }

  /** To be called when any loads may have changed, and after many weights. */
  void refresh() {
    for (TakerTree tree : trees) {
      tree.rebase(0);
    }
  }
}
