package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupState;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A group in memory; without a state while it is read back from the store. */
final class GroupCell {
  @Nullable GroupState state;
  final OffsetBook offsets;
  OptionalLong emptySinceMs = OptionalLong.empty();

  /** Whether the store may have the group, so that forgetting it here would not end it. */
  boolean stored;

  /** Whether the last state was too large for the store; said once. */
  boolean tooLarge;

  /** How many assignments have failed since the last that did not. */
  int failedAssignments;

  GroupCell(@Nullable GroupState state, OffsetBook offsets) {
    this.state = state;
    this.offsets = offsets;
  }
}
