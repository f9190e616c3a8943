package io.rebalancer.bridge.group;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.SortedMap;

/**
 * A group as its znodes show it. They are read one after another: while the group rebalances, the
 * picture may be of no one moment.
 *
 * @param topics all there are under /brokers/topics
 * @param members the readable registrations, wildcards resolved to the topics there are
 * @param unreadable what is wrong with the others, and with offsets, brokers and topics that cannot
 *     be read, a sentence each
 * @param owners by partition, whatever their names
 * @param offsets committed ones
 */
public record GroupSnapshot(
    GroupId group,
    SortedMap<String, PartitionSet> topics,
    SortedMap<MemberId, Subscription> members,
    List<String> unreadable,
    SortedMap<TopicPartition, Owner> owners,
    SortedMap<TopicPartition, Long> offsets) {

  /**
   * An owner node.
   *
   * @param thread its payload
   */
  public record Owner(String thread) {

    /** The member's id: the payload up to its last '-', as Kafka's tools cut it. */
    public String member() {
      int cut = thread.lastIndexOf('-');
      return cut <= 0 ? thread : thread.substring(0, cut);
    }
  }
}
