package io.rebalancer.coordinator.runtime;

import io.rebalancer.core.model.PartitionSet;
import java.util.UUID;

/** A topic and its partitions; {@code id} stays the same for a name that has none of its own. */
public record TopicInfo(String name, UUID id, PartitionSet partitions) {}
