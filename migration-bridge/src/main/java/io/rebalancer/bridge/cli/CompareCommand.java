package io.rebalancer.bridge.cli;

import ch.qos.logback.classic.Level;
import io.rebalancer.bridge.experiment.Cancellation;
import io.rebalancer.bridge.experiment.CompareParameters;
import io.rebalancer.bridge.experiment.CompareResult;
import io.rebalancer.bridge.experiment.ExperimentRunner;
import io.rebalancer.bridge.experiment.Progress;
import io.rebalancer.bridge.experiment.RunResult;
import io.rebalancer.bridge.report.ComparisonTable;
import io.rebalancer.bridge.runtime.Interrupts;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.core.time.Ticker;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rebalancer compare}: the main job. */
@Command(
    name = "compare",
    description = {
      "Runs both engines side by side on a real ZooKeeper and measures what each change costs.",
      "Without --zookeeper it starts an embedded server."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true)
final class CompareCommand implements Callable<Integer> {

  /** How long an interrupted run may take to stop what it started and remove its znodes. */
  private static final long CLEAN_UP_MS = 30_000;

  @Spec private CommandSpec spec;

  @Mixin private CompareFlags flags;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[/chroot]",
      converter = ZooKeeperOption.class,
      description = {
        "Run on this ensemble, below a path of our own that is removed afterwards.",
        "Its counters are a witness only with --exclusive."
      })
  private @Nullable ConnectString zookeeper;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the results go (default: a fresh folder under ./results).")
  private @Nullable Path out;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json, on standard output (default: ${DEFAULT-VALUE}).")
  private Output output;

  @Option(names = "--quiet", description = "No progress on standard error.")
  private boolean quiet;

  @Override
  public Integer call() {
    CompareParameters parameters = flags.parameters();
    if (parameters.exclusive() && zookeeper == null) {
      throw new UsageException("--exclusive goes with --zookeeper");
    }
    Path folder = out != null ? out : ResultFolder.fresh(LocalDateTime.now(ZoneId.systemDefault()));
    ResultFolder.demandUsable(folder);
    Cancellation cancellation = new Cancellation();
    if (!quiet && parameters.sessionMs() < 3 * parameters.heartbeatMs()) {
      spec.commandLine()
          .getErr()
          .printf(
              "rebalancer: warning: --session-ms %d is less than 3 x --heartbeat-ms %d%n",
              parameters.sessionMs(), parameters.heartbeatMs());
    }
    Logs.show(Level.ERROR); // What happens to members is in the results.
    Interrupts interrupts = Interrupts.onInterrupt(() -> interrupted(cancellation));
    try {
      return run(parameters, folder, cancellation);
    } finally {
      cancellation.ended();
      interrupts.close();
    }
  }

  private void interrupted(Cancellation cancellation) {
    cancellation.cancelAndWait(CLEAN_UP_MS);
    spec.commandLine().getErr().println("rebalancer: interrupted");
  }

  private int run(CompareParameters parameters, Path folder, Cancellation cancellation) {
    PrintWriter err = spec.commandLine().getErr();
    ProgressLine line = new ProgressLine(err, Boolean.getBoolean("rebalancer.stderr.terminal"));
    Clock clock = Clock.systemUTC();
    String workspace = "rebalancer-compare-" + clock.millis() + "-" + ProcessHandle.current().pid();
    CompareResult result;
    try (Ensemble ensemble = Ensemble.open(zookeeper, workspace);
        ResultFolder results = ResultFolder.create(folder)) {
      var environment = Environment.describe(ensemble.description(), clock);
      ExperimentRunner runner =
          new ExperimentRunner(
              parameters,
              ensemble.connect(),
              ensemble.ours() || parameters.exclusive(),
              clock,
              Ticker.system(),
              cancellation,
              UnaryOperator.identity());
      List<RunResult> runs;
      try {
        runs = runner.run(quiet ? Progress.silent() : line, results::add);
      } catch (RuntimeException e) {
        line.end();
        if (results.abandon()) {
          err.println("rebalancer: only the finished runs are in " + folder);
        }
        throw e;
      }
      result = CompareResult.of(environment, parameters, runs);
      results.write(result);
    } finally {
      line.end();
    }
    PrintWriter stdout = spec.commandLine().getOut();
    if (output == Output.json) {
      stdout.println(ResultFolder.json(result));
    } else {
      stdout.print(ComparisonTable.render(result));
    }
    stdout.flush();
    if (!quiet) {
      err.println("results: " + folder);
    }
    return result.valid() ? ExitCode.DONE : ExitCode.INVALID;
  }
}
