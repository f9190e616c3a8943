package io.rebalancer.it.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.experiment.Cancellation;
import io.rebalancer.bridge.experiment.CompareParameters;
import io.rebalancer.bridge.experiment.ExperimentRunner;
import io.rebalancer.bridge.experiment.Progress;
import io.rebalancer.bridge.experiment.RunResult;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.core.time.Ticker;
import java.time.Clock;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * A member that owns nothing leaves or dies: the assignment stays as it is, and all the others
 * rebalance all the same. The group must not count as settled before they have.
 */
class IdleVictimIT {

  @Test
  void theChangeIsMeasuredAlthoughNoShareChanges() {
    CompareParameters parameters =
        new CompareParameters(
            4,
            1,
            1,
            1,
            1,
            List.of("leave", "crash"),
            List.of("zk", "coordinator"),
            "documented",
            1500, // Longer than the quiet time: members hear of it late.
            4000,
            400,
            10,
            0,
            1,
            1,
            false);
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start()) {
      List<RunResult> runs =
          new ExperimentRunner(
                  parameters,
                  ConnectString.parse(zooKeeper.connectString()),
                  true,
                  Clock.systemUTC(),
                  Ticker.system(),
                  new Cancellation(),
                  UnaryOperator.identity())
              .run(Progress.silent(), record -> {});

      assertThat(runs).hasSize(4);
      for (RunResult run : runs) {
        assertThat(run.problems()).as("%s %s", run.engine(), run.scenario()).isEmpty();
        assertThat(run.moves()).isZero();
        assertThat(run.rebalances().attempts()).isGreaterThanOrEqualTo(3);
        assertThat(run.settledMs()).isPositive();
      }
    }
  }
}
