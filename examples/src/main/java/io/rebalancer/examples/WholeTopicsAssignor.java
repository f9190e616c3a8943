package io.rebalancer.examples;

import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Never splits a topic: each goes as a whole to the subscriber that has the fewest partitions. */
public final class WholeTopicsAssignor implements MemberAssignor {

  @Override
  public String name() {
    return "whole-topics";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    Map<MemberId, Assignment> shares = new HashMap<>();
    group.members().forEach(member -> shares.put(member.id(), Assignment.empty()));
    group
        .topics()
        .forEach(
            (topic, partitions) ->
                group.members().stream()
                    .filter(member -> member.topics().contains(topic))
                    .map(Member::id)
                    .min(Comparator.comparing(id -> shares.get(id).size()))
                    .ifPresent(
                        id ->
                            shares.merge(id, Assignment.of(topic, partitions), Assignment::plus)));
    return GroupAssignment.of(group, shares);
  }
}
