package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/** One more member joins. */
final class JoinScenario implements Scenario {

  @Override
  public String name() {
    return "join";
  }

  @Override
  public List<Change> changes(Stage stage) {
    String name = stage.newcomer();
    return List.of(new Change("join " + name, () -> stage.join(name)));
  }

  /** Once per old member; the joiner sets its watch after it has registered. */
  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return OptionalLong.of(watching == Watching.COORDINATOR_ONLY ? 0 : parameters.members());
  }
}
