package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/**
 * One member's process dies: its socket is cut, and the others learn of it when its session runs
 * out.
 */
final class CrashScenario implements Scenario {

  @Override
  public String name() {
    return "crash";
  }

  @Override
  public List<Change> changes(Stage stage) {
    String name = stage.anyMembers(1).get(0);
    return List.of(new Change("crash " + name, () -> stage.crash(name)));
  }

  /** Once per surviving member: the watches of the dead one went with its connection. */
  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return OptionalLong.of(watching == Watching.COORDINATOR_ONLY ? 0 : parameters.members() - 1);
  }
}
