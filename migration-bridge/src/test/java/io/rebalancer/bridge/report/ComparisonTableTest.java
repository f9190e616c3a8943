package io.rebalancer.bridge.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.experiment.CompareParameters;
import io.rebalancer.bridge.experiment.CompareResult;
import io.rebalancer.bridge.experiment.RunResult;
import io.rebalancer.bridge.experiment.RunResult.Assignments;
import io.rebalancer.bridge.experiment.RunResult.LedgerResult;
import io.rebalancer.bridge.experiment.RunResult.Notifications;
import io.rebalancer.bridge.experiment.RunResult.Rebalances;
import io.rebalancer.bridge.experiment.RunResult.Spread;
import io.rebalancer.bridge.experiment.RunResult.ZooKeeperCost;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {

  private static RunResult run(
      String engine, String profile, long notifications, Double settledMs, List<String> problems) {
    return new RunResult(
        engine,
        profile,
        "p",
        "join",
        20,
        100,
        new Notifications(notifications, null, notifications, 1),
        new Rebalances(4, 2, 1, 1, 2),
        settledMs,
        settledMs == null ? 2 : 0,
        0,
        new Spread(1, 2.25),
        null,
        0,
        10,
        5,
        new ZooKeeperCost(8, 4, null, null, null, null, null, null),
        new LedgerResult("valid", List.of()),
        new Assignments(new TreeMap<>(), new TreeMap<>()),
        problems);
  }

  private static CompareResult result(RunResult... runs) {
    boolean valid = List.of(runs).stream().allMatch(run -> run.problems().isEmpty());
    return new CompareResult(
        "rebalancer.compare/1",
        new TreeMap<>(),
        new CompareParameters(
            20,
            1,
            100,
            3,
            1,
            List.of("join"),
            List.of("zk"),
            "documented",
            1,
            2,
            3,
            4,
            0,
            5,
            1,
            false),
        valid ? "valid" : "invalid",
        List.of(runs));
  }

  @Test
  void enginesAreColumnsMeasuresAreRowsAndWhatWasNotMeasuredIsADash() {
    String text =
        ComparisonTable.render(
            result(
                run("zk", "documented", 20, 250.04, List.of()),
                run("coordinator", null, 0, 100.0, List.of())));

    assertThat(text.lines())
        .contains(
            "20 members x 1 threads, 1 topics x 100 partitions, 3 brokers; session 2 ms, heartbeat 1"
                + " ms, back-off 3 ms x 4 tries, initial delay 0 ms; seed 1",
            "join                            zk (documented)   coordinator   ratio",
            "notifications, client                        20             0       -",
            "notifications, server                         -             -       -",
            "rebalance attempts                            4             4    1.00",
            "settled after, ms                         250.0         100.0    2.50",
            "verdict: valid");
  }

  @Test
  void everyReasonAgainstARunIsSaid() {
    String text =
        ComparisonTable.render(result(run("zk", "1.1", 20, null, List.of("the counts differ"))));

    assertThat(text.lines())
        .contains(
            "invalid: zk, join: the counts differ",
            "not settled by the deadline: zk, join (members gave up 2 times)",
            "verdict: invalid");
  }
}
