package io.rebalancer.coordinator.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class EmbeddedProtocolTest {

  @Test
  void kafkasConsumerReadsOurSubscription() {
    byte[] ours = EmbeddedProtocol.encode(Subscription.copyOf(Map.of("t", 2, "u", 1)));

    var theirs = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(ours));

    assertThat(theirs.topics()).containsExactly("t", "u");
    assertThat(theirs.ownedPartitions()).isEmpty();
    assertThat(UTF_8.decode(theirs.userData()).toString())
        .isEqualTo("{\"format\":1,\"streams\":{\"t\":2,\"u\":1}}");
  }

  @Test
  void streamCountsComeBackAsTheyWere() {
    Subscription subscription = Subscription.copyOf(Map.of("t", 2, "u", 1));

    assertThat(EmbeddedProtocol.decodeSubscription(EmbeddedProtocol.encode(subscription)))
        .isEqualTo(subscription);
  }

  @Test
  void membersOfAnotherMakeCountOneStreamForEachTopic() {
    for (ByteBuffer userData :
        new ByteBuffer[] {
          null,
          ByteBuffer.allocate(0),
          ByteBuffer.wrap(new byte[] {0, 0, 0, 7}),
          UTF_8.encode("{\"streams\":{\"t\":9}}"),
          UTF_8.encode("{\"format\":1,\"streams\":{\"t\":-3}}"),
          UTF_8.encode("[1]")
        }) {
      ByteBuffer theirs =
          ConsumerProtocol.serializeSubscription(
              new ConsumerPartitionAssignor.Subscription(List.of("t"), userData));

      assertThat(EmbeddedProtocol.decodeSubscription(bytes(theirs)))
          .isEqualTo(Subscription.copyOf(Map.of("t", 1)));
    }
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
