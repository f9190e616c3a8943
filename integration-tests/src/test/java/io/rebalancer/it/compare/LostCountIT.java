package io.rebalancer.it.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.experiment.Cancellation;
import io.rebalancer.bridge.experiment.CompareParameters;
import io.rebalancer.bridge.experiment.CompareResult;
import io.rebalancer.bridge.experiment.ExperimentRunner;
import io.rebalancer.bridge.experiment.Progress;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Clock;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The witnesses are worth something: a count that one of them lacks makes the run invalid. */
class LostCountIT {

  /** The first of the members: it is told once of a join. */
  private static final String DEAF_MEMBER = "m-000010";

  private static RebalanceObserver deaf(RebalanceObserver recorder) {
    return observation -> {
      if (!(observation instanceof Observation.WatchDelivered delivered
          && delivered.session().equals(DEAF_MEMBER))) {
        recorder.on(observation);
      }
    };
  }

  @Test
  void aNotificationThatOneClientDoesNotCountMakesTheRunInvalidAndIsNamed() {
    CompareParameters parameters =
        new CompareParameters(
            3,
            1,
            6,
            1,
            1,
            List.of("join"),
            List.of("zk"),
            "documented",
            300,
            4000,
            400,
            10,
            0,
            1,
            1,
            false);
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start()) {
      ExperimentRunner runner =
          new ExperimentRunner(
              parameters,
              ConnectString.parse(zooKeeper.connectString()),
              true,
              Clock.systemUTC(),
              Ticker.system(),
              new Cancellation(),
              LostCountIT::deaf);

      CompareResult result =
          CompareResult.of(
              new TreeMap<>(), parameters, runner.run(Progress.silent(), record -> {}));

      assertThat(result.valid()).isFalse();
      assertThat(result.runs().get(0).notifications().client()).isEqualTo(2);
      assertThat(result.runs().get(0).notifications().server()).isEqualTo(3);
      assertThat(result.runs().get(0).problems())
          .anyMatch(
              problem ->
                  problem.startsWith("the clients received 2 notifications, the server fired 3")
                      && problem.endsWith(": 1 unexplained"))
          .anyMatch(problem -> problem.endsWith("the model expects 3"));
    }
  }
}
