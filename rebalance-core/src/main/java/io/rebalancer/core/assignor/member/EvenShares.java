package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Divides a group in which all subscribe to the same topics: loads that differ by one at most, the
 * larger ones with those that own most already, so that as much as possible stays. Takes time in
 * proportion to partitions and members.
 */
final class EvenShares {

  private final GroupInput group;
  private final int[] owners;
  private final int[] topics;

  /** How many more each member is to get; below 0 how many it lets go of. */
  private final int[] lacking;

  private final @Nullable RackMatch racks;

  EvenShares(GroupInput group, int[] owners) {
    this.group = group;
    this.racks = RackMatch.of(group);
    this.owners = owners;
    this.topics = group.ids.length == 0 ? new int[0] : group.subscriptions[0];
    this.lacking = Claims.loads(group, owners);
  }

  void divide() {
    if (topics.length == 0) {
      return;
    }
    quotas();
    release();
    if (racks != null) {
      racks.give(topics, owners, lacking);
    }
    spread();
  }

  private void quotas() {
    int members = lacking.length;
    int all = 0;
    for (int t : topics) {
      all += group.partitions.size(t);
    }
    int each = all / members;
    int larger = all % members;
    long[] byLoad = new long[members];
    for (int m = 0; m < members; m++) {
      byLoad[m] = (-(long) lacking[m] << 32) | m;
    }
    Arrays.sort(byLoad);
    for (int i = 0; i < members; i++) {
      int m = (int) byLoad[i];
      lacking[m] = each + (i < larger ? 1 : 0) - lacking[m];
    }
  }

  /** Members that own too much let go of the topics they own most of. */
  private void release() {
    int[] starts = new int[lacking.length + 1];
    for (int owner : owners) {
      if (owner != NOBODY && lacking[owner] < 0) {
        starts[owner + 1]++;
      }
    }
    for (int m = 0; m < lacking.length; m++) {
      starts[m + 1] += starts[m];
    }
    int[] places = new int[starts[lacking.length]];
    if (places.length == 0) {
      return;
    }
    int[] topicOf = new int[places.length];
    int[] next = starts.clone();
    for (int t : topics) {
      for (int place = group.partitions.starts[t];
          place < group.partitions.starts[t + 1];
          place++) {
        int owner = owners[place];
        if (owner != NOBODY && lacking[owner] < 0) {
          topicOf[next[owner]] = t;
          places[next[owner]++] = place;
        }
      }
    }
    int turn = 0;
    for (int m = 0; m < lacking.length; m++) {
      if (lacking[m] < 0) {
        int unsuited =
            racks == null ? 0 : unsuitedLast(racks, m, places, topicOf, starts[m], starts[m + 1]);
        int middle = starts[m + 1] - unsuited;
        int first = Math.min(unsuited, -lacking[m]);
        release(places, topicStarts(topicOf, middle, starts[m + 1]), first, turn);
        release(places, topicStarts(topicOf, starts[m], middle), -lacking[m] - first, turn);
        turn -= lacking[m]; // Who lets go of one each begins with another topic than the last.
        lacking[m] = 0;
      }
    }
  }

  /** Puts what is in no rack of the member's behind the rest; how many that are. */
  private static int unsuitedLast(
      RackMatch matching, int m, int[] places, int[] topicOf, int from, int to) {
    int[] unsuited = new int[to - from];
    int[] topicOfUnsuited = new int[to - from];
    int count = 0;
    int at = from;
    for (int i = from; i < to; i++) {
      if (matching.suits(m, places[i])) {
        places[at] = places[i];
        topicOf[at++] = topicOf[i];
      } else {
        unsuited[count] = places[i];
        topicOfUnsuited[count++] = topicOf[i];
      }
    }
    System.arraycopy(unsuited, 0, places, at, count);
    System.arraycopy(topicOfUnsuited, 0, topicOf, at, count);
    return count;
  }

  /**
   * Levels off what one member keeps of each topic, the lowest partitions.
   *
   * @param starts where each topic that it owns some of begins in places, and the end of the last
   */
  private void release(int[] places, int[] starts, int count, int turn) {
    int owned = starts.length - 1;
    int level = levelFor(starts, count);
    int left = count;
    for (int i = 0; i < owned; i++) {
      for (int at = starts[i] + level; at < starts[i + 1]; at++) {
        owners[places[at]] = NOBODY;
        left--;
      }
    }
    for (int i = 0; left > 0; i++) {
      int at = (turn + i) % owned;
      if (starts[at + 1] - starts[at] >= level) {
        owners[places[starts[at] + level - 1]] = NOBODY;
        left--;
      }
    }
  }

  private static int[] topicStarts(int[] topicOf, int from, int to) {
    int[] starts = new int[to - from + 1];
    int found = 0;
    for (int at = from; at < to; at++) {
      if (at == from || topicOf[at] != topicOf[at - 1]) {
        starts[found++] = at;
      }
    }
    starts[found] = to;
    return Arrays.copyOf(starts, found + 1);
  }

  /** The lowest level at which no more than {@code count} lie above. */
  private static int levelFor(int[] starts, int count) {
    int low = 0;
    int high = starts[starts.length - 1] - starts[0];
    while (low < high) {
      int middle = (low + high) >>> 1;
      int above = 0;
      for (int i = 0; i < starts.length - 1; i++) {
        above += Math.max(0, starts[i + 1] - starts[i] - middle);
      }
      if (above <= count) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** What is free of each topic in equal portions to those that still lack some, in turn. */
  private void spread() {
    Ring takers = new Ring(lacking);
    for (int t : topics) {
      int end = group.partitions.starts[t + 1];
      int free = 0;
      for (int place = group.partitions.starts[t]; place < end; place++) {
        free += owners[place] == NOBODY ? 1 : 0;
      }
      int turns = 0;
      for (int place = group.partitions.starts[t]; free > 0; ) {
        turns = turns == 0 ? takers.size : turns;
        int taker = takers.next();
        int portion = Math.min(lacking[taker], (free + turns - 1) / turns);
        for (int given = 0; given < portion; place++) {
          if (owners[place] == NOBODY) {
            owners[place] = taker;
            given++;
          }
        }
        free -= portion;
        turns--;
        lacking[taker] -= portion;
        if (lacking[taker] == 0) {
          takers.remove();
        }
      }
    }
  }

  /** The members that lack some, in a circle. */
  private static final class Ring {
    private final int[] next;
    private int last;
    private int before;
    private int size;

    Ring(int[] lacking) {
      next = new int[lacking.length];
      int first = NOBODY;
      last = NOBODY;
      for (int m = 0; m < lacking.length; m++) {
        if (lacking[m] > 0) {
          size++;
          if (first == NOBODY) {
            first = m;
          } else {
            next[last] = m;
          }
          last = m;
        }
      }
      if (size > 0) {
        next[last] = first;
      }
    }

    int next() {
      before = last;
      last = next[last];
      return last;
    }

    /** Takes the one out that came last. */
    void remove() {
      next[before] = next[last];
      last = before;
      size--;
    }
  }
}
