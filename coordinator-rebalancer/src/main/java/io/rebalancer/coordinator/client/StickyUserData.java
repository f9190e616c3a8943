package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.Struct;
import org.apache.kafka.common.protocol.types.Type;
import org.jspecify.annotations.Nullable;

/**
 * The user data of {@code sticky}: the last assignment, by topic, and the generation it is of
 * (kafka-clients 4.4, StickyAssignor). Before KIP-341 it had no generation, and ends after the
 * assignment.
 */
final class StickyUserData {

  private static final String ASSIGNMENT = "previous_assignment";
  private static final String TOPIC = "topic";
  private static final String PARTITIONS = "partitions";

  private static final Schema OF_TOPIC =
      new Schema(new Field(TOPIC, Type.STRING), new Field(PARTITIONS, new ArrayOf(Type.INT32)));
  private static final Schema SCHEMA = new Schema(new Field(ASSIGNMENT, new ArrayOf(OF_TOPIC)));

  private StickyUserData() {}

  static byte[] encode(Claim claim) {
    List<Struct> topics = new ArrayList<>();
    claim
        .last()
        .topics()
        .forEach(
            (topic, partitions) ->
                topics.add(
                    new Struct(OF_TOPIC)
                        .set(TOPIC, topic)
                        .set(PARTITIONS, partitions.stream().boxed().toArray())));
    Struct assignment = new Struct(SCHEMA).set(ASSIGNMENT, topics.toArray());
    ByteBuffer buffer = ByteBuffer.allocate(assignment.sizeOf() + Integer.BYTES);
    assignment.writeTo(buffer);
    return buffer.putInt(claim.generation()).array();
  }

  /** No bytes are no claim. Throws {@link RuntimeException} for bytes that are something else. */
  static Claim decode(@Nullable ByteBuffer userData) {
    if (userData == null || !userData.hasRemaining()) {
      return Claim.NONE;
    }
    ByteBuffer buffer = userData.duplicate();
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    for (Object each : SCHEMA.read(buffer).getArray(ASSIGNMENT)) {
      Struct topic = (Struct) each;
      List<Integer> partitions = new ArrayList<>();
      for (Object partition : topic.getArray(PARTITIONS)) {
        partitions.add((Integer) partition);
      }
      topics.merge(
          topic.getString(TOPIC), EmbeddedProtocol.partitions(partitions), PartitionSet::plus);
    }
    int generation =
        buffer.remaining() < Integer.BYTES ? MemberState.NO_GENERATION : buffer.getInt();
    return Claim.of(new Assignment(topics), generation);
  }
}
