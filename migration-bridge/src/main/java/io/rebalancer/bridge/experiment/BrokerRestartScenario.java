package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.OptionalLong;

/** One broker goes and comes back at once. No partition has to move. */
final class BrokerRestartScenario implements Scenario {

  @Override
  public String name() {
    return "broker-restart";
  }

  @Override
  public List<Change> changes(Stage stage) {
    return List.of(new Change("restart a broker", stage::restartBroker));
  }

  /**
   * A member whose one-shot watch is not set again when the broker returns hears of it once, not
   * twice.
   */
  @Override
  public OptionalLong expectedNotifications(Watching watching, CompareParameters parameters) {
    return switch (watching) {
      case EVERY_MEMBER_ALSO_BROKERS -> OptionalLong.empty();
      case EVERY_MEMBER -> OptionalLong.of(0);
      case COORDINATOR_ONLY -> OptionalLong.of(2);
    };
  }

  @Override
  public boolean everybodyReacts(Watching watching) {
    return watching == Watching.EVERY_MEMBER_ALSO_BROKERS;
  }
}
