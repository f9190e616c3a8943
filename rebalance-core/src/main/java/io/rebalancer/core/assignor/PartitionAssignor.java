package io.rebalancer.core.assignor;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Divides the partitions of a group among the threads of its members. Pure: same input, same
 * result.
 */
public interface PartitionAssignor {

  /** {@code range} or {@code roundrobin}, as in {@code partition.assignment.strategy}. */
  String name();

  /**
   * Divides all partitions of every topic that somebody subscribes to.
   *
   * @param topics the partitions of each known topic; a subscribed topic that is missing has none
   * @return every thread of every member, in their order, also those that get nothing
   */
  SortedMap<ThreadId, Assignment> assignThreads(
      Map<String, PartitionSet> topics, Map<MemberId, Subscription> members);

  /** The same by member: every member, also those that get nothing. */
  default SortedMap<MemberId, Assignment> assign(
      Map<String, PartitionSet> topics, Map<MemberId, Subscription> members) {
    SortedMap<MemberId, Assignment> shares = new TreeMap<>();
    members.keySet().forEach(member -> shares.put(member, Assignment.empty()));
    assignThreads(topics, members)
        .forEach((thread, share) -> shares.merge(thread.member(), share, Assignment::plus));
    return shares;
  }
}
