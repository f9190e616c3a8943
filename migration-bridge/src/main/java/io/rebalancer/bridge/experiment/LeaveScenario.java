package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/** One member leaves in good order. */
final class LeaveScenario implements Scenario {

  @Override
  public String name() {
    return "leave";
  }

  @Override
  public List<Change> changes(Stage stage) {
    String name = stage.anyMembers(1).get(0);
    return List.of(new Change("leave " + name, () -> stage.leave(name)));
  }

  /**
   * Once per member, the leaver included: its own watch is still set when its registration goes.
   */
  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return OptionalLong.of(watching == Watching.COORDINATOR_ONLY ? 0 : parameters.members());
  }
}
