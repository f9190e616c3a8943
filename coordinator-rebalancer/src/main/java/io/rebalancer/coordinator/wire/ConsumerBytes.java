package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;

/**
 * What the coordinator reads of the bytes that consumers exchange: the topics a member wants, the
 * partitions its group leader gave it. Bytes it cannot read are none of its business.
 */
public final class ConsumerBytes {

  /** The protocol type whose bytes these are. */
  public static final String PROTOCOL_TYPE = ConsumerProtocol.PROTOCOL_TYPE;

  private ConsumerBytes() {}

  /** The topics of a subscription, of any version; empty when it is none. */
  public static Set<String> topics(byte[] metadata) {
    try {
      return new TreeSet<>(
          ConsumerProtocol.deserializeConsumerProtocolSubscription(ByteBuffer.wrap(metadata))
              .topics());
    } catch (RuntimeException e) {
      return Set.of();
    }
  }

  /** The partitions of an assignment, of any version; nothing when it is none. */
  public static Optional<Assignment> assignment(Opaque bytes) {
    try {
      var read =
          ConsumerProtocol.deserializeConsumerProtocolAssignment(ByteBuffer.wrap(bytes.toBytes()));
      TreeMap<String, PartitionSet> topics = new TreeMap<>();
      read.assignedPartitions()
          .forEach(
              topic ->
                  topics.merge(
                      topic.topic(), PartitionSet.copyOf(topic.partitions()), PartitionSet::plus));
      return Optional.of(Assignment.copyOf(topics));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }
}
