package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/**
 * Members restart one after another: each leaves and joins again at once, when the last has
 * settled.
 */
final class RollingRestartScenario implements Scenario {

  private final int restarts;

  RollingRestartScenario(int restarts) {
    this.restarts = restarts;
  }

  @Override
  public String name() {
    return "rolling-restart";
  }

  @Override
  public List<Change> changes(Stage stage) {
    return stage.anyMembers(restarts).stream()
        .map(name -> new Change("restart " + name, () -> stage.restart(name)))
        .toList();
  }

  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return watching == Watching.COORDINATOR_ONLY ? OptionalLong.of(0) : OptionalLong.empty();
  }
}
