package io.rebalancer.coordinator.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.junit.jupiter.api.Test;

class ThreadStrategyTest {

  private static final MemberId M = new MemberId("m");

  private final Strategy strategy = Strategies.named("range");

  @Test
  void aMemberSaysItsStreamsAndItsGenerationAndClaimsNothing() {
    byte[] ours =
        strategy.metadata(
            Subscription.copyOf(Map.of("t", 2, "u", 1)),
            Claim.of(Assignment.of("t", PartitionSet.of(0)), 5));

    var theirs = ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(ours));

    assertThat(theirs.topics()).containsExactly("t", "u");
    assertThat(theirs.ownedPartitions()).isEmpty();
    assertThat(theirs.generationId()).contains(5);
    assertThat(UTF_8.decode(theirs.userData()).toString())
        .isEqualTo("{\"format\":1,\"streams\":{\"t\":2,\"u\":1}}");
  }

  @Test
  void whatIsLostIsOfNoGeneration() {
    byte[] ours =
        strategy.metadata(
            Subscription.copyOf(Map.of("t", 1)),
            Claim.of(Assignment.of("t", PartitionSet.of(0)), 5).lost());

    assertThat(ConsumerProtocol.deserializeSubscription(ByteBuffer.wrap(ours)).generationId())
        .isEmpty();
  }

  @Test
  void streamCountsComeBackAsTheyWere() {
    Subscription subscription = Subscription.copyOf(Map.of("t", 2, "u", 1));

    assertThat(read(strategy.metadata(subscription, Claim.NONE))).isEqualTo(subscription);
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
      byte[] bytes = new byte[theirs.remaining()];
      theirs.get(bytes);

      assertThat(read(bytes)).isEqualTo(Subscription.copyOf(Map.of("t", 1)));
    }
  }

  private Subscription read(byte[] metadata) {
    JoinedMember joined = new JoinedMember(M, "", EmbeddedProtocol.decodeSubscription(metadata));
    GroupPlan plan = strategy.plan(List.of(joined), (member, complaint) -> {});
    ThreadStrategy.Plan read = (ThreadStrategy.Plan) plan;
    assertThat(read.assignor()).isInstanceOf(RangeAssignor.class);
    return read.members().get(M);
  }
}
