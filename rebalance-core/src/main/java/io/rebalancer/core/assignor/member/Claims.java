package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Who owns what before the group is assigned anew: as the previous assignment says, else as far as
 * members agree: of several that claim a partition the highest generation is believed, and of one
 * generation the first member by id. What does not exist or is not subscribed to counts as none.
 */
final class Claims {

  private Claims() {}

  /** By the partition's place the place of its owner among the members, or nobody's. */
  static int[] owners(GroupInput group) {
    if (group.previous == null) {
      return ofMembers(group);
    }
    int[] now = placesNow(group.previous, group);
    int[] owners = ofPrevious(group, group.previous, now);
    dropUnsubscribed(group, unchanged(group, group.previous, now), owners);
    return owners;
  }

  /** How many partitions each member owns. */
  static int[] loads(GroupInput group, int[] owners) {
    int[] loads = new int[group.ids.length];
    for (int owner : owners) {
      if (owner != NOBODY) {
        loads[owner]++;
      }
    }
    return loads;
  }

  /** Whether all members subscribe to the same known topics. */
  static boolean alike(GroupInput group) {
    for (int[] topics : group.subscriptions) {
      if (!Arrays.equals(topics, group.subscriptions[0])) {
        return false;
      }
    }
    return true;
  }

  /** Also owners that do not subscribe any more. */
  static int[] ofPrevious(GroupInput group, GroupAssignment previous) {
    return ofPrevious(group, previous, placesNow(previous, group));
  }

  private static int[] ofPrevious(GroupInput group, GroupAssignment previous, int[] now) {
    int[] owners = new int[group.partitions.size()];
    PartitionIndex before = previous.partitions;
    for (int t = 0; t < group.partitions.topics(); t++) {
      int start = group.partitions.starts[t];
      int end = group.partitions.starts[t + 1];
      int then = before == group.partitions ? t : before.topic(group.partitions.names[t]);
      if (then < 0) {
        Arrays.fill(owners, start, end, NOBODY);
      } else if (before.sets[then].equals(group.partitions.sets[t])) {
        int from = before.starts[then];
        for (int place = start; place < end; place++) {
          int owner = previous.owners[from + place - start];
          owners[place] = owner == NOBODY ? NOBODY : now[owner];
        }
      } else {
        PartitionSet set = group.partitions.sets[t];
        int place = start;
        for (int range = 0; range < set.ranges(); range++) {
          for (int p = set.first(range); p <= set.last(range); p++) {
            int old = before.place(then, p);
            int owner = old < 0 ? NOBODY : previous.owners[old];
            owners[place++] = owner == NOBODY ? NOBODY : now[owner];
          }
        }
      }
    }
    return owners;
  }

  /** For each member of then its place now, or nobody's. Both are in the order of ids. */
  private static int[] placesNow(GroupAssignment previous, GroupInput group) {
    int[] places = new int[previous.ids.length];
    int now = 0;
    for (int then = 0; then < places.length; then++) {
      int order = -1;
      while (now < group.ids.length && (order = group.ids[now].compareTo(previous.ids[then])) < 0) {
        now++;
      }
      places[then] = now < group.ids.length && order == 0 ? now : NOBODY;
    }
    return places;
  }

  /** Both the topics of the group and those of each member ascend: one walk through all. */
  private static void dropUnsubscribed(GroupInput group, boolean[] unchanged, int[] owners) {
    int[] next = new int[group.ids.length];
    boolean all = true;
    for (boolean same : unchanged) {
      all &= same;
    }
    for (int t = 0; t < group.partitions.topics() && !all; t++) {
      for (int place = group.partitions.starts[t];
          place < group.partitions.starts[t + 1];
          place++) {
        int owner = owners[place];
        if (owner == NOBODY || unchanged[owner]) {
          continue;
        }
        int[] topics = group.subscriptions[owner];
        int at = next[owner];
        while (at < topics.length && topics[at] < t) {
          at++;
        }
        next[owner] = at;
        if (at == topics.length || topics[at] > t) {
          owners[place] = NOBODY;
        }
      }
    }
  }

  /** Who subscribes to what it did, as far as that is seen at once. */
  private static boolean[] unchanged(GroupInput group, GroupAssignment previous, int[] now) {
    boolean[] unchanged = new boolean[group.ids.length];
    int[][] before = previous.subscriptions;
    if (before != null && group.partitions == previous.partitions) {
      for (int then = 0; then < now.length; then++) {
        if (now[then] != NOBODY) {
          unchanged[now[then]] = before[then] == group.subscriptions[now[then]];
        }
      }
    }
    return unchanged;
  }

  private static int[] ofMembers(GroupInput group) {
    int[] owners = new int[group.partitions.size()];
    Arrays.fill(owners, NOBODY);
    int[] byGeneration =
        IntStream.range(0, group.members.length)
            .boxed()
            .sorted(Comparator.comparing((Integer m) -> -(long) group.members[m].generation()))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int m : byGeneration) {
      for (Map.Entry<String, PartitionSet> owned : group.members[m].owned().topics().entrySet()) {
        int t = group.partitions.topic(owned.getKey());
        if (t >= 0 && Arrays.binarySearch(group.subscriptions[m], t) >= 0) {
          group.partitions.forEachPlace(
              t,
              owned.getValue(),
              place -> {
                if (owners[place] == NOBODY) {
                  owners[place] = m;
                }
              });
        }
      }
    }
    return owners;
  }
}
