package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A group as the store has it.
 *
 * @param sinceMs wall clock of the moment it came to this state; empty where the store does not say
 */
public record StoredGroup(
    HardState state, Map<TopicPartition, CommittedOffset> offsets, OptionalLong sinceMs) {

  public StoredGroup {
    offsets = Map.copyOf(offsets);
  }

  public StoredGroup(HardState state, Map<TopicPartition, CommittedOffset> offsets) {
    this(state, offsets, OptionalLong.empty());
  }
}
