package io.rebalancer.coordinator.client;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ConsumerProtocolSubscription;
import org.jspecify.annotations.Nullable;

/** Where in a subscription a strategy's members say what they owned. */
enum ClaimFormat {

  /** In {@code ownedPartitions} and {@code generationId}; no user data. */
  OWNED {
    @Override
    byte @Nullable [] userData(Claim claim) {
      return null;
    }

    @Override
    Claim claim(ConsumerProtocolSubscription subscription) {
      return Claim.of(EmbeddedProtocol.owned(subscription), subscription.generationId());
    }
  },

  /**
   * As {@link #OWNED}, with the generation as user data too, for subscriptions before version 2.
   * Without a readable generation the claim stands, as one of no generation: who makes it may be
   * processing (kafka-clients 4.4, CooperativeStickyAssignor).
   */
  COOPERATIVE {
    @Override
    byte[] userData(Claim claim) {
      return ByteBuffer.allocate(Integer.BYTES).putInt(claim.ownedGeneration()).array();
    }

    @Override
    Claim claim(ConsumerProtocolSubscription subscription) {
      int generation = subscription.generationId();
      return Claim.of(
          EmbeddedProtocol.owned(subscription),
          generation >= 0 ? generation : generation(subscription.userData()));
    }

    private static int generation(@Nullable ByteBuffer userData) {
      try {
        return userData == null ? MemberState.NO_GENERATION : userData.duplicate().getInt();
      } catch (BufferUnderflowException e) {
        return MemberState.NO_GENERATION;
      }
    }
  },

  /**
   * In the user data alone, see {@link StickyUserData}: what Kafka's eager members own is empty
   * when they join. A member that has lost its share claims it with the generation in which it got
   * it, so that everybody who has been given it since is believed instead (kafka-clients 4.4,
   * StickyAssignor).
   */
  STICKY {
    @Override
    byte @Nullable [] userData(Claim claim) {
      return claim.equals(Claim.NONE) ? null : StickyUserData.encode(claim);
    }

    @Override
    Claim claim(ConsumerProtocolSubscription subscription) {
      return StickyUserData.decode(subscription.userData());
    }
  };

  abstract byte @Nullable [] userData(Claim claim);

  /** Throws {@link RuntimeException} for a claim that cannot be read. */
  abstract Claim claim(ConsumerProtocolSubscription subscription);
}
