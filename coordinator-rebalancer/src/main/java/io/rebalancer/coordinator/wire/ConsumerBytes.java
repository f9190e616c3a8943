package io.rebalancer.coordinator.wire;

import io.rebalancer.coordinator.group.Kept;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.protocol.MessageUtil;

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

  /** What the sender of a subscription says it still has; nothing before version 1. */
  public static Kept kept(byte[] metadata) {
    try {
      var read =
          ConsumerProtocol.deserializeConsumerProtocolSubscription(ByteBuffer.wrap(metadata));
      Map<String, PartitionSet> topics = new TreeMap<>();
      read.ownedPartitions()
          .forEach(
              topic ->
                  topics.merge(
                      topic.topic(), PartitionSet.copyOf(topic.partitions()), PartitionSet::plus));
      return new Kept(Assignment.copyOf(topics), read.generationId());
    } catch (RuntimeException e) {
      return Kept.NOTHING;
    }
  }

  /** The rack (KIP-881) that a subscription names; empty when it names none, or is none. */
  public static String rack(Opaque metadata) {
    try {
      String rack =
          ConsumerProtocol.deserializeConsumerProtocolSubscription(
                  ByteBuffer.wrap(metadata.toBytes()))
              .rackId();
      return rack == null ? "" : rack;
    } catch (RuntimeException e) {
      return "";
    }
  }

  /** Partitions as a member is told of them. */
  public static Opaque encode(Assignment partitions) {
    ConsumerProtocolAssignment message = new ConsumerProtocolAssignment();
    partitions
        .topics()
        .forEach(
            (topic, set) ->
                message
                    .assignedPartitions()
                    .add(
                        new ConsumerProtocolAssignment.TopicPartition()
                            .setTopic(topic)
                            .setPartitions(set.stream().boxed().toList())));
    return Opaque.copyOf(
        MessageUtil.toVersionPrefixedBytes(
            ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION, message));
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
