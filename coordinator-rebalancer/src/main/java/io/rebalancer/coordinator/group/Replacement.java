package io.rebalancer.coordinator.group;

/**
 * A static member that came back under a new id into a Stable group, and waits for that to be
 * stored.
 *
 * @param write the token of that write
 * @param former the member as it was, to be put back if it cannot be stored
 * @param canSkipAssignment as {@link GroupEvent.JoinRequested#canSkipAssignment}
 */
public record Replacement(
    long write, RequestId request, Member former, boolean canSkipAssignment) {}
