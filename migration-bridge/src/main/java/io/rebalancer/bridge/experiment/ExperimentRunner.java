package io.rebalancer.bridge.experiment;

import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ServerCounters;
import io.rebalancer.bridge.zookeeper.Workspace;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Puts each engine through each scenario, one after another, each on a part of the ensemble of its
 * own that is removed afterwards.
 */
public final class ExperimentRunner {

  private final CompareParameters parameters;
  private final ConnectString ensemble;
  private final boolean countersAreOurs;
  private final Clock clock;
  private final Ticker ticker;
  private final Cancellation cancellation;
  private final UnaryOperator<RebalanceObserver> tap;

  /**
   * An experiment on {@code ensemble}, which must be this run's alone below its chroot.
   *
   * @param countersAreOurs whether nobody else uses the servers, so that their counters are a
   *     witness
   * @param tap stands between the engines and the recorder; the identity but in tests of the
   *     witnesses
   */
  public ExperimentRunner(
      CompareParameters parameters,
      ConnectString ensemble,
      boolean countersAreOurs,
      Clock clock,
      Ticker ticker,
      Cancellation cancellation,
      UnaryOperator<RebalanceObserver> tap) {
    this.parameters = parameters;
    this.ensemble = ensemble;
    this.countersAreOurs = countersAreOurs;
    this.clock = clock;
    this.ticker = ticker;
    this.cancellation = cancellation;
    this.tap = tap;
  }

  /**
   * Runs everything; gives each run's record away as soon as it is there.
   *
   * @throws CancelledException if the run is cancelled; everything it started is stopped by then
   */
  public List<RunResult> run(Progress progress, Consumer<RunRecord> records) {
    List<RunResult> results = new ArrayList<>();
    List<Scenario> scenarios = Scenarios.of(parameters);
    int runs = scenarios.size() * parameters.engines().size();
    for (Scenario scenario : scenarios) {
      for (String engine : parameters.engines()) {
        cancellation.check();
        int number = results.size() + 1;
        RunRecord record =
            run(engine, scenario, step -> progress.at(number, runs, engine, scenario.name(), step));
        results.add(record.result());
        records.accept(record);
      }
    }
    return results;
  }

  private RunRecord run(String engine, Scenario scenario, Consumer<String> progress) {
    try (Workspace workspace = Workspace.create(ensemble, engine + "-" + scenario.name());
        ZooKeeperConnection connection = ZooKeeperConnection.open(workspace.ensemble())) {
      ClusterNodes cluster = new ClusterNodes(connection, clock);
      Stage.set(parameters, cluster);
      Optional<ServerCounters> beforeEngine = counters();
      Recorder recorder = new Recorder();
      try (EngineUnderTest underTest =
          EngineUnderTest.start(engine, parameters, workspace.ensemble(), tap.apply(recorder))) {
        return new Run(
                parameters,
                scenario,
                underTest,
                recorder,
                cluster,
                ticker,
                () -> {
                  cancellation.check();
                  connection.demandSession();
                },
                progress)
            .measure(workspace.ensemble(), beforeEngine, this::counters);
      }
    }
  }

  /** Read only after a quiet time: the server may count a moment after the client was told. */
  private Optional<ServerCounters> counters() {
    return countersAreOurs ? Optional.of(ServerCounters.read(ensemble)) : Optional.empty();
  }
}
