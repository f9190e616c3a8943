package io.rebalancer.coordinator.client;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.jspecify.annotations.Nullable;

/**
 * What a coordinator that assigns says beside Kafka's own fields of its answers, in tagged fields
 * that other clients pass over (docs/protocol.md). Confined to the member's event loop.
 */
final class ServedFields {

  /** Of a Join's answer: the member's part, as a Sync would bring it. */
  static final int PART_TAG = 10_000;

  /**
   * Of the answers to Join and Heartbeat, and of a group leader's Sync: what is left of a delayed
   * rebalance, in milliseconds.
   */
  static final int DELAY_TAG = 10_001;

  private boolean delayed;
  private long dueNanos;

  /** Null where the group leader assigns. */
  static byte @Nullable [] part(JoinGroupResponseData answer) {
    return field(answer.unknownTaggedFields(), PART_TAG);
  }

  static RawTaggedField delay(int millis) {
    return new RawTaggedField(DELAY_TAG, ByteBuffer.allocate(Integer.BYTES).putInt(millis).array());
  }

  /** Of an answer to a member of the group: without the field nothing is delayed. */
  void told(List<RawTaggedField> fields, long nowNanos) {
    byte[] millis = field(fields, DELAY_TAG);
    delayed = millis != null && millis.length == Integer.BYTES;
    if (delayed) {
      dueNanos = nowNanos + Duration.ofMillis(ByteBuffer.wrap(millis).getInt()).toNanos();
    }
  }

  /** Rounded up, so that what is not over is not 0. */
  Duration remaining(long nowNanos) {
    long left = delayed ? Math.max(0, dueNanos - nowNanos) : 0;
    return Duration.ofMillis((left + 999_999) / 1_000_000);
  }

  private static byte @Nullable [] field(List<RawTaggedField> fields, int tag) {
    for (RawTaggedField field : fields) {
      if (field.tag() == tag) {
        return field.data();
      }
    }
    return null;
  }
}
