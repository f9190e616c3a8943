package io.rebalancer.bridge.report;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.rebalancer.bridge.experiment.CompareParameters;
import io.rebalancer.bridge.experiment.CompareResult;
import io.rebalancer.bridge.experiment.RunResult;
import io.rebalancer.bridge.experiment.RunResult.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a person reads: one table per scenario, the engines as columns, a measure per row. */
public final class ComparisonTable {

  private static final String NOT_MEASURED = "-";

  private record Measure(String name, Function<RunResult, @Nullable Number> value) {}

  private static final List<Measure> MEASURES =
      List.of(
          new Measure("notifications, client", run -> run.notifications().client()),
          new Measure("notifications, server", run -> run.notifications().server()),
          new Measure("notifications, model", run -> run.notifications().model()),
          new Measure("notifications, useful", run -> run.notifications().useful()),
          new Measure("rebalance attempts", run -> run.rebalances().attempts()),
          new Measure("  productive", run -> run.rebalances().productive()),
          new Measure("  redundant", run -> run.rebalances().redundant()),
          new Measure("  failed", run -> run.rebalances().failed()),
          new Measure("rebalances necessary", run -> run.rebalances().necessary()),
          new Measure("settled after, ms", RunResult::settledMs),
          new Measure("members that gave up", RunResult::gaveUp),
          new Measure("unowned per partition, p50 ms", run -> p50(run.unownedMs())),
          new Measure("unowned per partition, max ms", run -> max(run.unownedMs())),
          new Measure("stopped per member, p50 ms", run -> p50(run.stoppedMs())),
          new Measure("stopped per member, max ms", run -> max(run.stoppedMs())),
          new Measure("double-owned, ms", RunResult::doubleOwnedMs),
          new Measure("partitions moved", RunResult::moves),
          new Measure("  least possible", RunResult::minimumMoves),
          new Measure("ZooKeeper reads", run -> run.zookeeper().reads()),
          new Measure("ZooKeeper writes", run -> run.zookeeper().writes()),
          new Measure("ZooKeeper bytes received", run -> run.zookeeper().bytesReceived()),
          new Measure("ZooKeeper bytes sent", run -> run.zookeeper().bytesSent()),
          new Measure("watches held", run -> run.zookeeper().watchesHeld()),
          new Measure("ZooKeeper connections", run -> run.zookeeper().connections()));

  private static final List<String> NOTES =
      List.of(
          "ratio: zk / coordinator.  -: not measured, or nothing to divide by.",
          "An eager coordinator group still makes every member stop and rejoin, each at its next"
              + " heartbeat;",
          "what the coordinator removes is ZooKeeper's load and the claims that collide, not the"
              + " stop.");

  private ComparisonTable() {}

  /** The tables, then the verdict with every reason against it. Ends with a line break. */
  public static String render(CompareResult result) {
    StringBuilder text = new StringBuilder(setUp(result.parameters())).append("\n\n");
    Map<String, List<RunResult>> scenarios =
        result.runs().stream()
            .collect(groupingBy(RunResult::scenario, LinkedHashMap::new, toList()));
    scenarios.forEach((scenario, runs) -> text.append(table(scenario, runs)).append('\n'));
    if (result.runs().stream().map(RunResult::engine).distinct().count() > 1) {
      NOTES.forEach(note -> text.append(note).append('\n'));
      text.append('\n');
    }
    for (RunResult run : result.runs()) {
      for (String problem : run.problems()) {
        text.append("invalid: %s, %s: %s%n".formatted(run.engine(), run.scenario(), problem));
      }
      if (run.settledMs() == null) {
        text.append(
            "not settled by the deadline: %s, %s (members gave up %d times)%n"
                .formatted(run.engine(), run.scenario(), run.gaveUp()));
      }
    }
    return text.append("verdict: ").append(result.verdict()).append('\n').toString();
  }

  private static String setUp(CompareParameters p) {
    return ("%d members x %d threads, %d topics x %d partitions, %d brokers; session %d ms, heartbeat"
            + " %d ms, back-off %d ms x %d tries, initial delay %d ms; seed %d")
        .formatted(
            p.members(),
            p.threads(),
            p.topics(),
            p.partitions(),
            p.brokers(),
            p.sessionMs(),
            p.heartbeatMs(),
            p.backoffMs(),
            p.retries(),
            p.initialDelayMs(),
            p.seed());
  }

  private static String table(String scenario, List<RunResult> runs) {
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of(scenario));
    runs.forEach(
        run ->
            head.add(
                run.profile() == null ? run.engine() : run.engine() + " (" + run.profile() + ")"));
    boolean ratios = runs.size() == 2;
    if (ratios) {
      head.add("ratio");
    }
    rows.add(head);
    for (Measure measure : MEASURES) {
      List<String> row = new ArrayList<>(List.of(measure.name()));
      runs.forEach(run -> row.add(text(measure.value().apply(run))));
      if (ratios) {
        row.add(ratio(measure.value().apply(runs.get(0)), measure.value().apply(runs.get(1))));
      }
      rows.add(row);
    }
    return aligned(rows);
  }

  /** First column to the left, the others to the right, a rule below the head. */
  private static String aligned(List<List<String>> rows) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r).get(i);
        String pad = " ".repeat(widths[i] - cell.length());
        line.append(i == 0 ? cell + pad : "   " + pad + cell);
      }
      text.append(line.toString().stripTrailing()).append('\n');
      if (r == 0) {
        text.append("-".repeat(line.length())).append('\n');
      }
    }
    return text.toString();
  }

  private static String text(@Nullable Number value) {
    if (value == null) {
      return NOT_MEASURED;
    }
    return value instanceof Double
        ? String.format(Locale.ROOT, "%.1f", value.doubleValue())
        : value.toString();
  }

  private static String ratio(@Nullable Number zk, @Nullable Number coordinator) {
    if (zk == null || coordinator == null || coordinator.doubleValue() == 0) {
      return NOT_MEASURED;
    }
    return String.format(Locale.ROOT, "%.2f", zk.doubleValue() / coordinator.doubleValue());
  }

  private static @Nullable Number p50(@Nullable Spread spread) {
    return spread == null ? null : spread.p50();
  }

  private static @Nullable Number max(@Nullable Spread spread) {
    return spread == null ? null : spread.max();
  }
}
