package io.rebalancer.core.assignor.member;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Who owns what, as far as members agree: of several that claim a partition the highest generation
 * is believed, and of one generation the first member by id. Claims of what does not exist or is
 * not subscribed to count as none.
 */
final class Claims {

  static final int NOBODY = -1;

  final MemberId[] ids;
  final Member[] members;
  final String[] topics;
  final PartitionSet[] partitions;

  /** For each topic its subscribers, ascending. */
  final int[][] subscribers;

  /** For each topic the owner of each partition by number, or {@link #NOBODY}. */
  final int[][] owners;

  /** How many partitions each member owns. */
  final int[] loads;

  private Claims(GroupInput group) {
    ids = group.members().keySet().toArray(MemberId[]::new);
    members = group.members().values().toArray(Member[]::new);
    topics = group.topics().keySet().toArray(String[]::new);
    partitions = group.topics().values().toArray(PartitionSet[]::new);
    subscribers = new int[topics.length][];
    owners = new int[topics.length][];
    loads = new int[members.length];
  }

  static Claims of(GroupInput group) {
    Claims claims = new Claims(group);
    claims.findSubscribers();
    claims.findOwners();
    return claims;
  }

  private void findSubscribers() {
    List<List<Integer>> found = new ArrayList<>();
    Arrays.stream(topics).forEach(topic -> found.add(new ArrayList<>()));
    for (int m = 0; m < members.length; m++) {
      for (String topic : members[m].topics()) {
        int t = Arrays.binarySearch(topics, topic);
        if (t >= 0) {
          found.get(t).add(m);
        }
      }
    }
    for (int t = 0; t < topics.length; t++) {
      subscribers[t] = found.get(t).stream().mapToInt(Integer::intValue).toArray();
    }
  }

  private void findOwners() {
    for (int t = 0; t < topics.length; t++) {
      PartitionSet all = partitions[t];
      owners[t] = new int[all.isEmpty() ? 0 : all.last(all.ranges() - 1) + 1];
      Arrays.fill(owners[t], NOBODY);
    }
    int[] byGeneration =
        IntStream.range(0, members.length)
            .boxed()
            .sorted(Comparator.comparing((Integer m) -> -(long) members[m].generation()))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int m : byGeneration) {
      for (Map.Entry<String, PartitionSet> owned : members[m].owned().topics().entrySet()) {
        int t = Arrays.binarySearch(topics, owned.getKey());
        if (t >= 0 && Arrays.binarySearch(subscribers[t], m) >= 0) {
          claim(t, m, owned.getValue().and(partitions[t]));
        }
      }
    }
  }

  private void claim(int t, int m, PartitionSet claimed) {
    for (int range = 0; range < claimed.ranges(); range++) {
      for (int p = claimed.first(range); p <= claimed.last(range); p++) {
        if (owners[t][p] == NOBODY) {
          owners[t][p] = m;
          loads[m]++;
        }
      }
    }
  }

  /** By topic and subscriber. */
  int[][] ownedCounts() {
    int[][] counts = new int[topics.length][];
    int[] place = new int[members.length];
    for (int t = 0; t < topics.length; t++) {
      counts[t] = new int[subscribers[t].length];
      for (int j = 0; j < subscribers[t].length; j++) {
        place[subscribers[t][j]] = j;
      }
      for (int owner : owners[t]) {
        if (owner != NOBODY) {
          counts[t][place[owner]]++;
        }
      }
    }
    return counts;
  }

  /** Whether all members subscribe to the same known topics. */
  boolean alike() {
    return Arrays.stream(subscribers)
        .allMatch(found -> found.length == 0 || found.length == members.length);
  }
}
