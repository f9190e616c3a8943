package io.rebalancer.coordinator.group;

import org.jspecify.annotations.Nullable;

/**
 * How far the present rebalance is; lost with the coordinator.
 *
 * @param initial whether this join phase began in Empty, so that only the initial delay ends it
 * @param latecomers whether members came since the initial delay was last armed
 * @param delayMs what the initial delay was last armed with
 * @param remainingMs by how much it may still be extended
 * @param write token of the assignment that is being stored, 0 when none is
 * @param lastWrite the last token used
 * @param awaited what is being stored under {@code write}; meaningless without one
 * @param stale whether topics changed since the group leader was asked to assign them, or it has
 *     assigned otherwise while its first assignment was stored
 * @param restored whether no generation was completed since the group was read from the store
 * @param stored what the store has: a generation is announced once the store knows of the one
 *     before
 * @param unstorable whether the last assignment was too large for the store: no other is asked for
 *     until members or what they want change
 * @param due why the join phase is over, while it waits for that; null when it is not over
 * @param delayed whether the group leader lets partitions wait for vanished members
 */
public record Round(
    boolean initial,
    boolean latecomers,
    int delayMs,
    int remainingMs,
    long write,
    long lastWrite,
    HardState awaited,
    boolean stale,
    boolean restored,
    Stored stored,
    boolean unstorable,
    @Nullable Reason due,
    boolean delayed) {

  static Round none(boolean restored, HardState stored) {
    return new Round(
        false,
        false,
        0,
        0,
        0,
        0,
        HardState.empty(),
        false,
        restored,
        Stored.of(stored),
        false,
        null,
        false);
  }
}
