package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Every partition in order of topic and number to the next member that subscribes to its topic;
 * members that are passed over lose that turn (kafka-clients 4.4, {@code RoundRobinAssignor}).
 */
public final class RoundRobinMemberAssignor implements MemberAssignor {

  @Override
  public String name() {
    return "roundrobin";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    int[] ring = byInstance(group);
    Subscribers subscribers = Subscribers.of(group);
    int[] subscribesTo = new int[ring.length];
    Arrays.fill(subscribesTo, PartitionIndex.NONE);
    int[] owners = new int[group.partitions.size()];
    Arrays.fill(owners, NOBODY);
    int next = 0;
    for (int t = 0; t < group.partitions.topics(); t++) {
      if (subscribers.count(t) == 0) {
        continue;
      }
      for (int m : subscribers.toArray(t)) {
        subscribesTo[m] = t;
      }
      for (int place = group.partitions.starts[t];
          place < group.partitions.starts[t + 1];
          place++) {
        while (subscribesTo[ring[next]] != t) {
          next = (next + 1) % ring.length;
        }
        owners[place] = ring[next];
        next = (next + 1) % ring.length;
      }
    }
    return new GroupAssignment(group, owners);
  }

  /** The places of the members, static ones first. */
  static int[] byInstance(GroupInput group) {
    return IntStream.range(0, group.members.length)
        .boxed()
        .sorted(Comparator.comparing((Integer m) -> group.members[m], Member.BY_INSTANCE))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
