package io.rebalancer.bridge.experiment;

import java.util.List;

/** All scenarios, in the order they are run and shown. */
public final class Scenarios {

  public static final List<String> NAMES = all(1).stream().map(Scenario::name).toList();

  private Scenarios() {}

  private static List<Scenario> all(int restarts) {
    return List.of(
        new JoinScenario(),
        new LeaveScenario(),
        new CrashScenario(),
        new BrokerAddScenario(),
        new BrokerRestartScenario(),
        new PartitionAddScenario(),
        new RollingRestartScenario(restarts));
  }

  /** The ones the parameters name. */
  static List<Scenario> of(CompareParameters parameters) {
    return all(parameters.restarts()).stream()
        .filter(scenario -> parameters.scenarios().contains(scenario.name()))
        .toList();
  }
}
