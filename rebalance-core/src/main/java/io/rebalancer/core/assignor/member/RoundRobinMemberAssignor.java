package io.rebalancer.core.assignor.member;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.SortedMap;

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
  public SortedMap<MemberId, Assignment> assign(GroupInput group) {
    List<Member> ring = group.members().values().stream().sorted(Member.BY_INSTANCE).toList();
    Shares shares = new Shares(group);
    int next = 0;
    for (var topic : group.topics().entrySet()) {
      String name = topic.getKey();
      if (ring.stream().noneMatch(member -> member.topics().contains(name))) {
        continue;
      }
      PartitionSet all = topic.getValue();
      for (int range = 0; range < all.ranges(); range++) {
        for (int p = all.first(range); p <= all.last(range); p++) {
          while (!ring.get(next).topics().contains(name)) {
            next = (next + 1) % ring.size();
          }
          shares.give(ring.get(next).id(), name, p);
          next = (next + 1) % ring.size();
        }
      }
    }
    return shares.build();
  }
}
