package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The partitions a member has to claim, each with the thread whose id it writes. */
public record RebalancePlan(SortedMap<TopicPartition, ThreadId> claims) {

  private static final RebalancePlan NOTHING = new RebalancePlan(Collections.emptySortedMap());

  public RebalancePlan {
    claims = Collections.unmodifiableSortedMap(new TreeMap<>(claims));
  }

  public static RebalancePlan copyOf(Map<TopicPartition, ThreadId> claims) {
    return new RebalancePlan(new TreeMap<>(claims));
  }

  public static RebalancePlan nothing() {
    return NOTHING;
  }

  public Assignment partitions() {
    return Assignment.ofPartitions(claims.keySet());
  }
}
