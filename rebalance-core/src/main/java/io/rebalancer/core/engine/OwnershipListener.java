package io.rebalancer.core.engine;

import io.rebalancer.core.model.Assignment;

/**
 * Told what a member owns. Called on the member's own thread, one call at a time; the engine goes
 * on only when a call has returned. An exception fails the rebalance attempt in which it is thrown.
 *
 * <p>Each call names what it is about, and says nothing of the rest: eager members are told of
 * everything in every rebalance, cooperative ones of what changes.
 */
public interface OwnershipListener {

  /** Before {@code partitions} are released: stop processing, commit. Never empty. */
  default void onRevoked(Assignment partitions) {}

  /** After {@code partitions} were won: processing may start. May be empty. */
  default void onAssigned(Assignment partitions) {}

  /**
   * {@code partitions} were taken away without asking (the ZooKeeper session or the membership
   * ended, or may have ended): others may own them already. Never empty.
   */
  default void onLost(Assignment partitions) {}

  /** A listener that does nothing. */
  static OwnershipListener none() {
    return new OwnershipListener() {};
  }
}
