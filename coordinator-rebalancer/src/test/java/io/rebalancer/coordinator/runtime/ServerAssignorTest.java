package io.rebalancer.coordinator.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupEffect.Claimant;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.wire.ConsumerBytes;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAssignorTest {

  private static final TopicCatalog TOPICS =
      TopicCatalog.of(
          Map.of("t", new TopicInfo("t", new UUID(0, 1), PartitionSet.range(0, 4))),
          Map.of("t", List.of(Set.of("r2"), Set.of("r1"), Set.of("r1"), Set.of("r2"))));

  private static Claimant claimant(String id, String rack) {
    ByteBuffer metadata =
        ConsumerProtocol.serializeSubscription(
            new Subscription(
                List.of("t"),
                null,
                List.of(),
                -1,
                rack.isEmpty() ? Optional.empty() : Optional.of(rack)));
    byte[] bytes = new byte[metadata.remaining()];
    metadata.get(bytes);
    return new Claimant(
        new MemberId(id), "", Set.of("t"), Opaque.copyOf(bytes), Assignment.empty());
  }

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  private static Map<MemberId, Assignment> assign(String assignor, Claimant... members) {
    return new ServerAssignor(() -> TOPICS, Runnable::run, ConsumerBytes::rack)
        .assign(new GroupEffect.Assign(1, assignor, List.of(members)))
        .join();
  }

  @ParameterizedTest
  @ValueSource(strings = {"range", "sticky", "uniform", "weighted"})
  void partitionsGoToMembersInTheRackOfAReplica(String assignor) {
    assertThat(assign(assignor, claimant("a", "r1"), claimant("b", "r2")))
        .isEqualTo(Map.of(new MemberId("a"), t(1, 2), new MemberId("b"), t(0, 3)));
    assertThat(assign(assignor, claimant("a", "r2"), claimant("b", "r1")))
        .isEqualTo(Map.of(new MemberId("a"), t(0, 3), new MemberId("b"), t(1, 2)));
  }

  @Test
  void aMemberWhoseSubscriptionCannotBeReadIsInNoRack() {
    assertThat(ConsumerBytes.rack(Opaque.copyOf("?".getBytes(UTF_8)))).isEmpty();
    assertThat(ConsumerBytes.rack(claimant("a", "").metadata())).isEmpty();
    assertThat(ConsumerBytes.rack(claimant("a", "r1").metadata())).isEqualTo("r1");
  }
}
