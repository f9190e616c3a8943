package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import org.jspecify.annotations.Nullable;

/** The division of a group by weights as far as it has come: who owns what and carries how much. */
final class WeightedShares {

  final GroupInput group;
  final Audiences audiences;
  final Loads loads;
  final Ranking ranking;

  /** By the partition's place. */
  final int[] owners;

  /** Who owned what in the beginning. */
  final int[] before;

  private final MemberRacks racks;
  private final @Nullable Takers[] takers;

  WeightedShares(GroupInput group, int[] owners) {
    this.group = group;
    this.owners = owners;
    this.before = owners.clone();
    this.audiences = Audiences.of(group);
    this.loads = Loads.of(group, audiences, owners);
    this.ranking = Ranking.of(group, audiences, loads.weights);
    this.racks = new MemberRacks(group);
    this.takers = new Takers[audiences.count()];
  }

  Takers takers(int audience) {
    Takers found = takers[audience];
    if (found == null) {
      found = new Takers(audiences.members[audience], loads, racks);
      takers[audience] = found;
    }
    return found;
  }

  /** To be called for a member whose load has changed: tells all that have to know. */
  void update(int member) {
    for (int audience : audiences.of(member)) {
      Takers known = takers[audience];
      if (known != null) {
        known.update(member);
      }
    }
  }

  /**
   * Gives what nobody owns, the heaviest first, to the subscriber that then carries least. With
   * several audiences weights within a factor of two count as equal, and the smallest audience
   * chooses first: each of them is gone through once for every such step and no more often.
   */
  void placeFree() {
    int[] smallestFirst = audiences.smallestFirst();
    int[] next = ranking.starts.clone();
    for (int bit = Long.SIZE - 2; bit >= 0; bit--) {
      for (int audience : smallestFirst) {
        int end = ranking.firstAtMost(audience, (1L << bit) - 1);
        place(audience, next[audience], end);
        next[audience] = end;
      }
    }
    placeWeightless(smallestFirst, next);
  }

  private void place(int audience, int from, int end) {
    Takers able = null;
    for (int rank = from; rank < end; rank++) {
      int place = ranking.places[rank];
      if (owners[place] == NOBODY) {
        if (able == null) {
          able = takers(audience);
          able.refresh();
        }
        int taker = able.bestOfMany(loads.weights[place], place);
        owners[place] = taker;
        loads.carried[taker] += loads.weights[place];
        able.update(taker);
      }
    }
  }

  /** They change no load: to whom they leave the fewest partitions in proportion to capacity. */
  private void placeWeightless(int[] smallestFirst, int[] from) {
    Loads numbers = null;
    for (int audience : smallestFirst) {
      Takers able = null;
      for (int rank = from[audience]; rank < ranking.starts[audience + 1]; rank++) {
        int place = ranking.places[rank];
        if (owners[place] == NOBODY) {
          if (numbers == null) {
            numbers = loads.byNumber(owners);
          }
          if (able == null) {
            able = new Takers(audiences.members[audience], numbers, racks);
          }
          int taker = able.bestOfMany(1, place);
          owners[place] = taker;
          numbers.carried[taker]++;
          able.update(taker);
        }
      }
    }
  }

  /** Brings what is known of takers up to date after placing. */
  void refresh() {
    for (Takers known : takers) {
      if (known != null) {
        known.refresh();
      }
    }
  }
}
