package io.rebalancer.coordinator.store;

import org.jspecify.annotations.Nullable;

/**
 * The coordinator that holds the slots in another's place, as it is registered.
 *
 * @param address {@code HOST:PORT}, under which clients reach it
 */
public record Holder(int nodeId, String address) {

  /** Null for a registration that no coordinator has made. */
  static @Nullable Holder registered(String name, String address) {
    try {
      return new Holder(Integer.parseInt(name), address);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
