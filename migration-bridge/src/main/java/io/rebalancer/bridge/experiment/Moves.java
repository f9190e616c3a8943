package io.rebalancer.bridge.experiment;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** How many partitions changed owner, and how few could have. Pure. */
final class Moves {

  private Moves() {}

  /** Partitions that had an owner before and have another after. A new partition does not move. */
  static int count(SortedMap<String, Assignment> before, SortedMap<String, Assignment> after) {
    Map<TopicPartition, String> owners = new HashMap<>();
    after.forEach(
        (member, share) -> share.stream().forEach(partition -> owners.put(partition, member)));
    int moves = 0;
    for (Map.Entry<String, Assignment> entry : before.entrySet()) {
      moves +=
          (int)
              entry.getValue().stream()
                  .filter(owners::containsKey)
                  .filter(partition -> !entry.getKey().equals(owners.get(partition)))
                  .count();
    }
    return moves;
  }

  /**
   * The fewest moves that end in an assignment as even as the original's: per topic, no thread has
   * two partitions more than another. Every remaining member keeps as much of what it has as its
   * even share allows, and the larger shares go to those who can use them.
   *
   * @param members who is there after the change
   * @param threads streams of each member
   * @param partitions all there are after the change
   */
  static int minimum(
      SortedMap<String, Assignment> before,
      Set<String> members,
      int threads,
      Assignment partitions) {
    if (members.isEmpty()) {
      return 0;
    }
    Set<String> topics = new HashSet<>();
    before.values().forEach(share -> topics.addAll(share.topics().keySet()));
    int moves = 0;
    for (String topic : topics) {
      int owned = 0;
      List<Integer> kept = new ArrayList<>();
      for (Map.Entry<String, Assignment> entry : before.entrySet()) {
        PartitionSet share = entry.getValue().partitions(topic);
        owned += share.size();
        if (members.contains(entry.getKey())) {
          kept.add(share.size());
        }
      }
      moves += owned - keepable(kept, members.size(), threads, partitions.partitions(topic).size());
    }
    return moves;
  }

  private static int keepable(List<Integer> owned, int members, int threads, int partitions) {
    int perThread = partitions / (members * threads);
    int extras = partitions % (members * threads);
    int keepable = 0;
    owned.sort(Comparator.reverseOrder());
    for (int count : owned) {
      int base = Math.min(count, perThread * threads);
      int more = Math.min(Math.min(count - base, threads), extras);
      extras -= more;
      keepable += base + more;
    }
    return keepable;
  }
}
