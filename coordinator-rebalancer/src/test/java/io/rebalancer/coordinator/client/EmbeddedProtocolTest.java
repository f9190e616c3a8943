package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class EmbeddedProtocolTest {

  private static final Claim CLAIM =
      Claim.of(Assignment.copyOf(Map.of("t", PartitionSet.of(0, 2), "u", PartitionSet.of(7))), 5);

  @Test
  void kafkasConsumerReadsOurSubscription() {
    byte[] ours = EmbeddedProtocol.encode(List.of("t", "u"), CLAIM, new byte[] {1, 2});

    var theirs = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(ours));

    assertThat(ByteBuffer.wrap(ours).getShort()).isEqualTo((short) 3);
    assertThat(theirs.topics()).containsExactly("t", "u");
    assertThat(theirs.userData()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
    assertThat(theirs.ownedPartitions())
        .containsExactlyInAnyOrder(
            new TopicPartition("t", 0), new TopicPartition("t", 2), new TopicPartition("u", 7));
    assertThat(theirs.generationId()).contains(5);
    assertThat(theirs.rackId()).isEmpty();
  }

  @Test
  void whatWasLostIsNotOwned() {
    var theirs =
        ConsumerProtocol.deserializeSubscription(
            ByteBuffer.wrap(EmbeddedProtocol.encode(List.of("t"), CLAIM.lost(), null)));

    assertThat(theirs.ownedPartitions()).isEmpty();
    assertThat(theirs.generationId()).isEmpty();
    assertThat(theirs.userData()).isNull();
  }

  @Test
  void subscriptionsOfEveryVersionAreReadAsFarAsTheyGo() {
    var full =
        new ConsumerPartitionAssignor.Subscription(
            List.of("t"),
            ByteBuffer.wrap(new byte[] {9}),
            List.of(new TopicPartition("t", 4), new TopicPartition("t", 1)),
            6,
            Optional.of("r1"));

    for (short version = 0; version <= 3; version++) {
      var ours =
          EmbeddedProtocol.decodeSubscription(
              bytes(ConsumerProtocol.serializeSubscription(full, version)));

      assertThat(ours.topics()).containsExactly("t");
      assertThat(ours.userData()).isEqualTo(ByteBuffer.wrap(new byte[] {9}));
      assertThat(EmbeddedProtocol.owned(ours))
          .isEqualTo(version < 1 ? Assignment.empty() : Assignment.of("t", PartitionSet.of(1, 4)));
      assertThat(ours.generationId()).isEqualTo(version < 2 ? -1 : 6);
      assertThat(ours.rackId()).isEqualTo(version < 3 ? null : "r1");
    }
  }

  @Test
  void partitionsNobodyCanHaveAndRepetitionsCostNothing() {
    assertThat(EmbeddedProtocol.partitions(List.of(3, -1, Integer.MAX_VALUE, 3, 0)))
        .hasToString("0,3");
  }

  @Test
  void assignmentsAreKafkasOwn() {
    Assignment ours =
        Assignment.copyOf(Map.of("t", PartitionSet.of(0, 1, 5), "u", PartitionSet.of(3)));

    var theirs =
        ConsumerProtocol.deserializeAssignment(ByteBuffer.wrap(EmbeddedProtocol.encode(ours)));

    assertThat(theirs.partitions())
        .containsExactlyInAnyOrder(
            new TopicPartition("t", 0),
            new TopicPartition("t", 1),
            new TopicPartition("t", 5),
            new TopicPartition("u", 3));
    assertThat(
            EmbeddedProtocol.decodeAssignment(bytes(ConsumerProtocol.serializeAssignment(theirs))))
        .isEqualTo(ours);
  }

  @Test
  void noBytesAreNoPartitions() {
    assertThat(EmbeddedProtocol.decodeAssignment(new byte[0])).isEqualTo(Assignment.empty());
  }

  @Test
  void aNewerVersionIsReadAsFarAsItIsKnown() {
    byte[] newer = EmbeddedProtocol.encode(Assignment.of("t", PartitionSet.of(4)));
    newer[1] = 9;

    assertThat(EmbeddedProtocol.decodeAssignment(newer))
        .isEqualTo(Assignment.of("t", PartitionSet.of(4)));
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
