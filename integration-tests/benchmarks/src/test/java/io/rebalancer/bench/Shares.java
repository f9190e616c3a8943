package io.rebalancer.bench;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;

/** What any of the assignors gave, as ours has it; and what it is judged by. */
final class Shares {

  private Shares() {}

  static SortedMap<MemberId, Assignment> of(GroupInput group, Object result) {
    if (result instanceof GroupAssignment servers) {
      return ofServer(ServerGroup.of(group), servers);
    }
    SortedMap<MemberId, Assignment> shares = new TreeMap<>();
    ((Map<?, ?>) result)
        .forEach(
            (id, partitions) ->
                shares.put(
                    new MemberId((String) id),
                    Assignment.ofPartitions(
                        ((Collection<?>) partitions)
                            .stream()
                                .map(org.apache.kafka.common.TopicPartition.class::cast)
                                .map(p -> new TopicPartition(p.topic(), p.partition()))
                                .toList())));
    return shares;
  }

  static SortedMap<MemberId, Assignment> ofServer(ServerGroup names, GroupAssignment servers) {
    SortedMap<MemberId, Assignment> shares = new TreeMap<>();
    servers
        .members()
        .forEach(
            (id, share) -> {
              SortedMap<String, PartitionSet> topics = new TreeMap<>();
              share
                  .partitions()
                  .forEach(
                      (topic, set) -> topics.put(names.topic(topic), PartitionSet.copyOf(set)));
              shares.put(new MemberId(id), new Assignment(topics));
            });
    return shares;
  }

  /** The sum of the squares of all loads: of equal sums of loads the more even has the less. */
  static long unevenness(Collection<Assignment> shares) {
    return shares.stream().mapToLong(Assignment::size).map(load -> load * load).sum();
  }

  /** How many partitions go to another while their owner is there and subscribes. */
  static long moves(
      List<Member> members, Map<MemberId, Assignment> before, Map<MemberId, Assignment> after) {
    long moves = 0;
    for (Member member : members) {
      Assignment owned = before.getOrDefault(member.id(), Assignment.empty());
      SortedMap<String, PartitionSet> kept = new TreeMap<>(owned.topics());
      kept.keySet().retainAll(member.topics());
      moves += new Assignment(kept).minus(after.get(member.id())).size();
    }
    return moves;
  }
}
