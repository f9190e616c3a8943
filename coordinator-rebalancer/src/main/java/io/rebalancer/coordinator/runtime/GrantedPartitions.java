package io.rebalancer.coordinator.runtime;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What every member was last given, to count what is given and taken. For one thread. */
final class GrantedPartitions {

  private final Map<GroupId, Map<MemberId, Assignment>> groups = new HashMap<>();
  private final GroupMeter meter;

  GrantedPartitions(GroupMeter meter) {
    this.meter = meter;
  }

  void granted(GroupId group, MemberId member, Assignment now) {
    Map<MemberId, Assignment> members = groups.computeIfAbsent(group, id -> new HashMap<>());
    Assignment before = members.getOrDefault(member, Assignment.empty());
    members.put(member, now);
    meter.partitions(now.minus(before).size(), before.minus(now).size());
  }

  /** What others than {@code members} had is taken from them. */
  void retain(GroupId group, Set<MemberId> members) {
    Map<MemberId, Assignment> known = groups.get(group);
    if (known == null) {
      return;
    }
    known.entrySet().removeIf(each -> !members.contains(each.getKey()) && taken(each.getValue()));
    if (known.isEmpty()) {
      groups.remove(group);
    }
  }

  private boolean taken(Assignment partitions) {
    meter.partitions(0, partitions.size());
    return true;
  }

  /** The group is another coordinator's now: nothing was taken from anybody. */
  void forget(GroupId group) {
    groups.remove(group);
  }
}
