package io.rebalancer.coordinator.client;

import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Told of what is too much for an observer: every request that was answered, and how long the
 * listener takes. Called on the thread that did it; must be thread-safe, fast, and must not throw.
 */
public interface MemberMeter {

  /** One that forgets everything. */
  MemberMeter NONE =
      new MemberMeter() {
        @Override
        public void answered(ApiKeys request, long sentAtNanos, long answeredAtNanos) {}

        @Override
        public void revoked(long nanos) {}

        @Override
        public void assigned(long nanos) {}

        @Override
        public void lost(long nanos) {}
      };

  /** A JoinGroup, SyncGroup, Heartbeat or OffsetCommit was answered, whatever with. */
  void answered(ApiKeys request, long sentAtNanos, long answeredAtNanos);

  /** {@code onRevoked} has returned or thrown after so long. */
  void revoked(long nanos);

  /** {@code onAssigned} has. */
  void assigned(long nanos);

  /** {@code onLost} has. */
  void lost(long nanos);
}
