package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupState;

/**
 * A group as it is shown.
 *
 * @param delayMs how long the partitions of vanished members still wait for them, 0 when none do;
 *     in a classic group as its leader has said, which the next coordinator does not know
 */
public record Described(GroupState state, int delayMs) {}
