package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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
  private final int[] loads;

  /** How many more of the topic in hand each member is to get. */
  private final int[] lacking;

  private final @Nullable RackMatch racks;

  UnevenShares(GroupInput group, int[] owners) {
    this.group = group;
    this.owners = owners;
    this.racks = RackMatch.of(group);
    this.loads = Claims.loads(group, owners);
    this.lacking = new int[loads.length];
  }

  void divide() {
    int[] ownersBefore = owners.clone();
    int[] loadsBefore = loads.clone();
    int free = fill();
    if (isLevel()) {
      return; // Nothing has moved.
    }
    Subscribers subscribers = Subscribers.of(group);
    Counts counts = new Counts(group, ownersBefore, owners);
    balance(subscribers, counts);
    if (counts.moves() > fewestConceivable(loadsBefore, free)) {
      new FewestMoves(counts, loads).find();
    }
    deal(subscribers, counts, ownersBefore);
  }

  /** What nobody owns goes to the least loaded, the topics with the fewest subscribers first. */
  private int fill() {
    int[] free = new int[group.partitions.topics()];
    boolean[] any = new boolean[free.length];
    for (int t = 0; t < free.length; t++) {
      for (int place = group.partitions.starts[t];
          place < group.partitions.starts[t + 1];
          place++) {
        free[t] += owners[place] == NOBODY ? 1 : 0;
      }
      any[t] = free[t] > 0;
    }
    Subscribers subscribers = Subscribers.of(group, any);
    long[] order = new long[free.length];
    int found = 0;
    int all = 0;
    for (int t = 0; t < free.length; t++) {
      if (any[t] && subscribers.count(t) > 0) {
        order[found++] = ((long) subscribers.count(t) << 32) | t;
        all += free[t];
      }
    }
    Arrays.sort(order, 0, found);
    for (int i = 0; i < found; i++) {
      int t = (int) order[i];
      fill(subscribers, t, free[t]);
    }
    return all;
  }

  /** As water finds its level: all that lie below it come up to it, some one higher. */
  private void fill(Subscribers subscribers, int t, int free) {
    int[] takers = subscribers.toArray(t);
    int low = Integer.MAX_VALUE;
    for (int m : takers) {
      low = Math.min(low, loads[m]);
    }
    int[] atHeight = new int[free + 1];
    for (int m : takers) {
      int height = loads[m] - low;
      if (height <= free) {
        atHeight[height]++;
      }
    }
    int level = low;
    int left = free;
    for (int below = atHeight[0]; below <= left; below += atHeight[level - low]) {
      left -= below;
      level++;
    }
    for (int m : takers) {
      if (loads[m] <= level) {
        int more = left > 0 ? 1 : 0;
        left -= more;
        lacking[m] = level - loads[m] + more;
        loads[m] += lacking[m];
      }
    }
    handOut(takers, t);
  }

  /** What is free of a topic to those that lack some, in order. */
  private void handOut(int[] takers, int t) {
    if (racks != null) {
      racks.give(new int[] {t}, owners, lacking);
    }
    int taker = 0;
    for (int place = group.partitions.starts[t]; place < group.partitions.starts[t + 1]; place++) {
      if (owners[place] == NOBODY) {
        while (lacking[takers[taker]] == 0) {
          taker++;
        }
        owners[place] = takers[taker];
        lacking[owners[place]]--;
      }
    }
  }

  private boolean isLevel() {
    int low = Integer.MAX_VALUE;
    int high = 0;
    for (int load : loads) {
      low = Math.min(low, load);
      high = Math.max(high, load);
    }
    return high - low <= 1;
  }

  /** Hands partitions on until nobody can. */
  private void balance(Subscribers subscribers, Counts counts) {
    boolean[] settled = new boolean[loads.length];
    Handover handover = new Handover(subscribers, counts, loads, settled);
    while (true) {
      int most = NONE;
      int least = Integer.MAX_VALUE;
      long sum = 0;
      int open = 0;
      for (int m = 0; m < loads.length; m++) {
        if (!settled[m]) {
          most = most == NONE || loads[m] > loads[most] ? m : most;
          least = Math.min(least, loads[m]);
          sum += loads[m];
          open++;
        }
      }
      if (most == NONE || loads[most] - least <= 1) {
        return;
      }
      handover.relieve(most, least, Math.max(1, loads[most] - (int) (sum / open)), open);
    }
  }

  /**
   * What somebody gains was free or moves. Balanced loads are the same numbers however they are
   * divided, and gains are least when who has most before has most after.
   */
  private long fewestConceivable(int[] loadsBefore, int free) {
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

  /** Everybody keeps the lowest ones that it may, and rather what is in its rack. */
  private void deal(Subscribers subscribers, Counts counts, int[] ownersBefore) {
    for (int t = 0; t < group.partitions.topics(); t++) {
      if (!counts.changed[t]) {
        continue;
      }
      for (int i = 0; i < subscribers.classes(t); i++) {
        for (int m : subscribers.members[subscribers.classAt(t, i)]) {
          lacking[m] = counts.now[m][subscribers.index(t, i)];
        }
      }
      int start = group.partitions.starts[t];
      int end = group.partitions.starts[t + 1];
      Arrays.fill(owners, start, end, NOBODY);
      for (int place = start; place < end && racks != null; place++) {
        int m = ownersBefore[place];
        if (m != NOBODY && lacking[m] > 0 && racks.suits(m, place)) {
          owners[place] = m;
          lacking[m]--;
        }
      }
      for (int place = start; place < end; place++) {
        int m = ownersBefore[place];
        if (m != NOBODY && lacking[m] > 0 && owners[place] == NOBODY) {
          owners[place] = m;
          lacking[m]--;
        }
      }
      handOut(subscribers.toArray(t), t);
    }
  }
}
