package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.TopicPartition;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which positions were kept long enough (Kafka 4.4.0: {@code
 * ClassicGroup.offsetExpirationCondition} and {@code OffsetMetadataManager.cleanupExpiredOffsets}).
 * All times are wall clock, in milliseconds.
 */
public final class OffsetExpiry {

  private OffsetExpiry() {}

  /**
   * The expired ones among {@code stored}: none while a rebalance is under way, when it is not
   * known who wants what (KIP-211).
   *
   * @param emptySinceMs when the group's last member went; empty where the store does not say, so
   *     that its last commits count
   */
  public static Set<TopicPartition> expired(
      GroupState group,
      OptionalLong emptySinceMs,
      Map<TopicPartition, CommittedOffset> stored,
      long nowMs,
      long retentionMs) {
    boolean simple = group.hard().protocolType().isEmpty();
    boolean empty = group.phase() == GroupPhase.EMPTY;
    boolean settled = empty || (group.phase() == GroupPhase.STABLE && group.isOfConsumers());
    Set<TopicPartition> expired = new LinkedHashSet<>();
    if (!settled) {
      return expired;
    }
    stored.forEach(
        (partition, offset) -> {
          long sinceMs =
              simple || !empty ? offset.timestampMs() : emptySinceMs.orElse(offset.timestampMs());
          boolean over =
              offset.expiresByItself()
                  ? nowMs >= offset.expireTimestampMs()
                  : nowMs - sinceMs >= retentionMs;
          if (over && !group.wants(partition.topic())) {
            expired.add(partition);
          }
        });
    return expired;
  }
}
