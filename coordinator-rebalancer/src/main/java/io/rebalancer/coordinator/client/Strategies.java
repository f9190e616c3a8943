package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;

/** The strategies a group leader can assign with, by Kafka's names for them. */
final class Strategies {

  private Strategies() {}

  /** Throws {@link IllegalArgumentException} for a name that is not known. */
  static PartitionAssignor named(String name) {
    return switch (name) {
      case "range" -> new RangeAssignor();
      case "roundrobin" -> new RoundRobinAssignor(RoundRobinAssignor.Release.V1_0);
      default ->
          throw new IllegalArgumentException(
              "partition.assignment.strategy: " + name + " (expected: range or roundrobin)");
    };
  }
}
