package io.rebalancer.zk.protocol;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Computes one member's own part of the group's assignment; every member does so for itself (kafka
 * 0.8-1.1, {@code ZookeeperConsumerConnector.rebalance}).
 */
public record RebalancePlanner(PartitionAssignor assignor) {

  public RebalancePlanner {
    requireNonNull(assignor, "assignor");
  }

  /**
   * Throws {@link IllegalArgumentException} when the view lacks {@code self}: a plan from such a
   * list would be somebody else's.
   */
  public RebalancePlan plan(MemberId self, GroupView view) {
    if (!view.members().containsKey(self)) {
      throw new IllegalArgumentException(
          "members: " + view.members().keySet() + " (expected: " + self + " among them)");
    }
    SortedMap<ThreadId, Assignment> shares = assignor.assignThreads(view.topics(), view.members());
    SortedMap<TopicPartition, ThreadId> claims = new TreeMap<>();
    shares.forEach(
        (thread, share) -> {
          if (thread.member().equals(self)) {
            share.stream().forEach(partition -> claims.put(partition, thread));
          }
        });
    return new RebalancePlan(claims);
  }
}
