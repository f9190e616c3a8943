package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;

/** A group as the store has it. */
public record StoredGroup(HardState state, Map<TopicPartition, CommittedOffset> offsets) {

  public StoredGroup {
    offsets = Map.copyOf(offsets);
  }
}
