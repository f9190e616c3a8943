package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/** One more broker registers. No partition has to move. */
final class BrokerAddScenario implements Scenario {

  @Override
  public String name() {
    return "broker-add";
  }

  @Override
  public List<Change> changes(Stage stage) {
    return List.of(new Change("add a broker", stage::addBroker));
  }

  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return OptionalLong.of(
        switch (watching) {
          case EVERY_MEMBER_ALSO_BROKERS -> parameters.members();
          case EVERY_MEMBER -> 0;
          case COORDINATOR_ONLY -> 1;
        });
  }

  @Override
  public boolean everybodyReacts(Watching watching) {
    return watching == Watching.EVERY_MEMBER_ALSO_BROKERS;
  }
}
