package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What one member has read of its group, one node after the other: nothing guarantees that it was
 * ever true as a whole, nor that another member reads the same (the original's split view).
 *
 * @param members every registration found
 * @param topics the partitions of every topic that any of them subscribes to (kafka 0.8: that the
 *     member itself subscribes to); a topic without a znode has none
 */
public record GroupView(
    SortedMap<MemberId, Subscription> members, SortedMap<String, PartitionSet> topics) {

  public GroupView {
    members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
    topics = Collections.unmodifiableSortedMap(new TreeMap<>(topics));
  }

  public static GroupView copyOf(
      Map<MemberId, Subscription> members, Map<String, PartitionSet> topics) {
    return new GroupView(new TreeMap<>(members), new TreeMap<>(topics));
  }
}
