package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/** One topic gets a tenth more partitions, at least one. */
final class PartitionAddScenario implements Scenario {

  @Override
  public String name() {
    return "partition-add";
  }

  @Override
  public List<Change> changes(Stage stage) {
    return List.of(new Change("add partitions", stage::addPartitions));
  }

  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return OptionalLong.of(watching == Watching.COORDINATOR_ONLY ? 1 : parameters.members());
  }
}
