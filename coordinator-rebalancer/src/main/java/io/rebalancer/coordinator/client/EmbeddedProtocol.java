package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * What members of protocol type {@code consumer} tell each other through the coordinator, in
 * Kafka's own form: a version, then the message (kafka-clients 4.4, ConsumerProtocol).
 */
final class EmbeddedProtocol {

  static final String TYPE = "consumer";

  private EmbeddedProtocol() {}

  static byte[] encode(Subscription subscription) {
    ConsumerProtocolSubscription message =
        new ConsumerProtocolSubscription()
            .setTopics(new ArrayList<>(subscription.streams().keySet()))
            .setUserData(ByteBuffer.wrap(StreamCounts.encode(subscription)));
    return MessageUtil.toVersionPrefixedBytes(
        ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION, message);
  }

  /** Throws {@link RuntimeException} for bytes that are no subscription. */
  static Subscription decodeSubscription(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    short version = known(buffer, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION);
    ConsumerProtocolSubscription message =
        new ConsumerProtocolSubscription(new ByteBufferAccessor(buffer), version);
    return StreamCounts.decode(message.topics(), message.userData());
  }

  static byte[] encode(Assignment assignment) {
    ConsumerProtocolAssignment message = new ConsumerProtocolAssignment();
    assignment
        .topics()
        .forEach(
            (topic, set) ->
                message
                    .assignedPartitions()
                    .add(
                        new ConsumerProtocolAssignment.TopicPartition()
                            .setTopic(topic)
                            .setPartitions(set.stream().boxed().toList())));
    return MessageUtil.toVersionPrefixedBytes(
        ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION, message);
  }

  /**
   * No bytes are no partitions: the group leader did not know this member. Throws {@link
   * RuntimeException} for bytes that are no assignment.
   */
  static Assignment decodeAssignment(byte[] bytes) {
    if (bytes.length == 0) {
      return Assignment.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    short version = known(buffer, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION);
    ConsumerProtocolAssignment message =
        new ConsumerProtocolAssignment(new ByteBufferAccessor(buffer), version);
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    message
        .assignedPartitions()
        .forEach(
            owned ->
                topics.merge(
                    owned.topic(), PartitionSet.copyOf(owned.partitions()), PartitionSet::plus));
    return new Assignment(topics);
  }

  /** Fields are only ever appended: a newer message is read as far as it is known. */
  private static short known(ByteBuffer buffer, short highest) {
    return (short) Math.min(buffer.getShort(), highest);
  }
}
