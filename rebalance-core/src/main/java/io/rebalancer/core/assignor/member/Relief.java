package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Takes partitions from those who carry most, in proportion to their capacity, one after the other
 * until no move pays. A move pays when the taker then carries less than the giver did, by more than
 * a fraction of that.
 *
 * <p>It ends: both then carry less than the giver did, so that each move makes the relative loads,
 * sorted from the largest down, smaller in the order of dictionaries; and there are but so many
 * assignments. Sums are exact and comparisons keep order ({@link Loads}), so that this is also true
 * of what is computed.
 */
final class Relief {

  private static final int NONE = -1;

  private final WeightedShares shares;
  private final Loads loads;
  private final Ranking ranking;

  /** Whether only what nobody owned in the beginning may be moved. */
  private final boolean freeOnly;

  private final double damping;

  /** For each member where its ranks begin in {@link #owned}; at the end the number of all. */
  private final int[] starts;

  private final int[] owned;

  /** By member: the ranks of what it can give; found when first needed. */
  private final @Nullable TreeSet<Integer>[] ranks;

  private long movesLeft;
  private int bestRank;
  private int bestTaker;
  private double bestLoad;

  @SuppressWarnings({"unchecked", "rawtypes"})
  Relief(WeightedShares shares, boolean freeOnly, double damping, long maxMoves) {
    this.shares = shares;
    this.loads = shares.loads;
    this.ranking = shares.ranking;
    this.freeOnly = freeOnly;
    this.damping = damping;
    this.movesLeft = maxMoves;
    int members = loads.carried.length;
    this.starts = new int[members + 1];
    this.ranks = new TreeSet[members];
    for (int place : ranking.places) {
      if (movable(place)) {
        starts[shares.owners[place] + 1]++;
      }
    }
    for (int m = 0; m < members; m++) {
      starts[m + 1] += starts[m];
    }
    this.owned = new int[starts[members]];
    int[] next = starts.clone();
    for (int rank = 0; rank < ranking.places.length; rank++) {
      int place = ranking.places[rank];
      if (movable(place)) {
        owned[next[shares.owners[place]]++] = rank;
      }
    }
  }

  private boolean movable(int place) {
    return loads.weights[place] > 0 && (!freeOnly || shares.before[place] == NOBODY);
  }

  /** Members that could give nothing may be able to once others have given: again until none is. */
  void run() {
    shares.refresh();
    boolean moved = true;
    while (moved && movesLeft >= 0) {
      moved = pass();
    }
  }

  private boolean pass() {
    TreeSet<Integer> open =
        new TreeSet<>(
            Comparator.comparingDouble((Integer m) -> -loads.relative(m))
                .thenComparingInt(Integer::intValue));
    for (int m = 0; m < ranks.length; m++) {
      open.add(m);
    }
    boolean moved = false;
    for (Integer giver = open.pollFirst(); giver != null; giver = open.pollFirst()) {
      if (findBest(giver)) {
        movesLeft -= price(giver);
        if (movesLeft < 0) {
          return moved;
        }
        open.remove(bestTaker);
        move(giver);
        open.add(bestTaker);
        open.add(giver);
        moved = true;
      }
    }
    return moved;
  }

  /** What goes back to the owner that it had in the beginning is not moved after all. */
  private int price(int giver) {
    int before = shares.before[ranking.places[bestRank]];
    return before == NOBODY ? 0 : (giver == before ? 1 : 0) - (bestTaker == before ? 1 : 0);
  }

  private void move(int giver) {
    ranksOf(bestTaker).add(bestRank); // Both found before the owner changes.
    ranksOf(giver).remove(bestRank);
    int place = ranking.places[bestRank];
    shares.owners[place] = bestTaker;
    loads.carried[giver] -= loads.weights[place];
    loads.carried[bestTaker] += loads.weights[place];
    shares.update(giver);
    shares.update(bestTaker);
  }

  private TreeSet<Integer> ranksOf(int member) {
    TreeSet<Integer> found = ranks[member];
    if (found == null) {
      found = new TreeSet<>();
      for (int i = starts[member]; i < starts[member + 1]; i++) {
        found.add(owned[i]);
      }
      ranks[member] = found;
    }
    return found;
  }

  /** Of all moves that pay the one after which the larger of both relative loads is least. */
  private boolean findBest(int giver) {
    bestRank = NONE;
    bestTaker = NONE;
    bestLoad = Double.POSITIVE_INFINITY;
    double limit = (1 - damping) * loads.relative(giver);
    for (int audience : shares.audiences.of(giver)) {
      if (shares.takers(audience).least() < limit) {
        findBest(giver, audience, limit);
      }
    }
    return bestRank != NONE;
  }

  private void findBest(int giver, int audience, double limit) {
    TreeSet<Integer> own = ranksOf(giver);
    Integer lightest = own.lower(ranking.starts[audience + 1]);
    if (lightest == null
        || lightest < ranking.starts[audience]
        || !consider(giver, audience, lightest, limit)) {
      return; // What is heavier pays even less.
    }
    long room = room(giver, audience, ranking.weight(lightest), limit);
    int fits = ranking.firstAtMost(audience, room);
    Integer below = own.ceiling(fits);
    if (below != null && below < lightest) {
      consider(giver, audience, below, limit);
    }
    Integer above = own.lower(fits);
    if (above != null && above >= ranking.starts[audience]) {
      consider(giver, audience, above, limit);
    }
  }

  /** Whether it pays to give this one away. */
  private boolean consider(int giver, int audience, int rank, double limit) {
    long weight = ranking.weight(rank);
    int taker = shares.takers(audience).best(weight, ranking.places[rank]);
    double load = loads.with(taker, weight);
    if (load >= limit) {
      return false;
    }
    double larger = Math.max(load, loads.with(giver, -weight));
    if (larger < bestLoad) {
      bestRank = rank;
      bestTaker = taker;
      bestLoad = larger;
    }
    return true;
  }

  /**
   * How heavy a partition may be until its best taker would carry as much as is left with the giver
   * or as the limit allows. What the best taker would carry is, by weight, the least of lines that
   * rise: where one of them meets what falls lies below the answer, and the best taker of that
   * weight is the next to try.
   */
  private long room(int giver, int audience, long weight, double limit) {
    long room = weight;
    while (true) {
      int taker = shares.takers(audience).best(room, ranking.places[0]);
      long more = (long) roomOf(giver, taker, limit);
      if (more <= room) {
        return room;
      }
      room = more;
    }
  }

  private double roomOf(int giver, int taker, double limit) {
    double gives = loads.capacities[giver];
    double takes = loads.capacities[taker];
    double even = (loads.carried[giver] * takes - loads.carried[taker] * gives) / (gives + takes);
    return Math.min(even, limit * takes - loads.carried[taker]);
  }
}
