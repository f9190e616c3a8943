package io.rebalancer.coordinator.client;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;

/**
 * What a member had, and by what it is known again when it comes back under another id.
 *
 * @param instanceId {@code group.instance.id}; empty when it has none
 * @param name {@code client.id}; empty when that is not known, or is another member's too
 */
record Parked(String instanceId, String name, Assignment partitions) {

  Parked {
    requireNonNull(instanceId, "instanceId");
    requireNonNull(name, "name");
    requireNonNull(partitions, "partitions");
  }

  Parked with(Assignment value) {
    return new Parked(instanceId, name, value);
  }

  /** Known by nothing. */
  Parked anonymous() {
    return new Parked("", "", partitions);
  }
}
