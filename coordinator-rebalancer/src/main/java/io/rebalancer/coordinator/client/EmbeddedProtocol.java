package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.message.ConsumerProtocolAssignment;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.jspecify.annotations.Nullable;

/**
 * What members of protocol type {@code consumer} tell each other through the coordinator, in
 * Kafka's own form: a version, then the message (kafka-clients 4.4, ConsumerProtocol).
 */
final class EmbeddedProtocol {

  static final String TYPE = "consumer";

  private EmbeddedProtocol() {}

  static byte[] encode(Collection<String> topics, Claim claim, byte @Nullable [] userData) {
    ConsumerProtocolSubscription message =
        new ConsumerProtocolSubscription()
            .setTopics(new ArrayList<>(topics))
            .setUserData(userData == null ? null : ByteBuffer.wrap(userData))
            .setGenerationId(claim.ownedGeneration());
    claim
        .owned()
        .topics()
        .forEach(
            (topic, set) ->
                message
                    .ownedPartitions()
                    .add(
                        new ConsumerProtocolSubscription.TopicPartition()
                            .setTopic(topic)
                            .setPartitions(set.stream().boxed().toList())));
    return MessageUtil.toVersionPrefixedBytes(
        ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION, message);
  }

  /** The same subscription, of a member in {@code rack} (KIP-881). */
  static byte[] inRack(byte[] subscription, String rack) {
    return MessageUtil.toVersionPrefixedBytes(
        ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION,
        decodeSubscription(subscription).setRackId(rack));
  }

  /** Throws {@link RuntimeException} for bytes that are no subscription. */
  static ConsumerProtocolSubscription decodeSubscription(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    short version = known(buffer, ConsumerProtocolSubscription.HIGHEST_SUPPORTED_VERSION);
    return new ConsumerProtocolSubscription(new ByteBufferAccessor(buffer), version);
  }

  static Assignment owned(ConsumerProtocolSubscription subscription) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    subscription
        .ownedPartitions()
        .forEach(
            owned ->
                topics.merge(owned.topic(), partitions(owned.partitions()), PartitionSet::plus));
    return new Assignment(topics);
  }

  /** In any order, also several times. What no partition can be is left out. */
  static PartitionSet partitions(Collection<Integer> numbers) {
    return PartitionSet.copyOf(
        numbers.stream().filter(p -> p >= 0 && p <= PartitionSet.HIGHEST).toList());
  }

  static byte[] encode(Assignment assignment) {
    return encode(assignment, null);
  }

  static byte[] encode(Assignment assignment, byte @Nullable [] userData) {
    ConsumerProtocolAssignment message =
        new ConsumerProtocolAssignment()
            .setUserData(userData == null ? null : ByteBuffer.wrap(userData));
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
    ConsumerProtocolAssignment message = assignment(bytes);
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    message
        .assignedPartitions()
        .forEach(
            owned ->
                topics.merge(owned.topic(), partitions(owned.partitions()), PartitionSet::plus));
    return new Assignment(topics);
  }

  /** Null when there is none. As {@link #decodeAssignment} for bytes that are no assignment. */
  static @Nullable ByteBuffer userData(byte[] bytes) {
    return bytes.length == 0 ? null : assignment(bytes).userData();
  }

  private static ConsumerProtocolAssignment assignment(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    short version = known(buffer, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION);
    return new ConsumerProtocolAssignment(new ByteBufferAccessor(buffer), version);
  }

  /** Fields are only ever appended: a newer message is read as far as it is known. */
  private static short known(ByteBuffer buffer, short highest) {
    return (short) Math.min(buffer.getShort(), highest);
  }
}
