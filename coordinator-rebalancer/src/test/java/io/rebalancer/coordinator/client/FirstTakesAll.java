package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A user's own assignor: a service of this module's tests. */
public final class FirstTakesAll implements MemberAssignor {

  public static final String NAME = "first-takes-all";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    GroupInput.Member first = group.members().get(0);
    SortedMap<String, PartitionSet> all = new TreeMap<>(group.topics());
    all.keySet().retainAll(first.topics());
    return GroupAssignment.of(group, Map.of(first.id(), new Assignment(all)));
  }
}
