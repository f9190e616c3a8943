package io.rebalancer.bench;

import io.rebalancer.bench.Outcome.Measured;
import io.rebalancer.bench.Outcome.Unmeasured;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Has JMH measure one cell. */
final class CellRunner {

  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private CellRunner() {}

  /** Throws {@link RunnerException} when JMH cannot run, say beside another. */
  static Outcome run(Cell cell, Effort effort) throws RunnerException, IOException {
    Path ended = Files.createTempFile("rebalancer-bench", ".txt");
    try {
      Collection<RunResult> results = new Runner(options(cell, effort, ended).build()).run();
      if (results.isEmpty()) {
        return ended(Files.readString(ended));
      }
      RunResult result = results.iterator().next();
      return new Measured(
          result.getPrimaryResult().getStatistics().getPercentile(50), allocated(result));
    } finally {
      Files.delete(ended);
    }
  }

  private static Outcome ended(String why) {
    if (why.startsWith(Limit.ONCE)) {
      String[] once = why.substring(Limit.ONCE.length()).split(" ", -1);
      return new Measured(Double.parseDouble(once[0]), Double.parseDouble(once[1]));
    }
    return new Unmeasured(why.isEmpty() ? "failed" : why);
  }

  private static ChainedOptionsBuilder options(Cell cell, Effort effort, Path ended) {
    TimeValue time = TimeValue.milliseconds(effort.millis());
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(AssignorBenchmark.class.getName() + ".assign") + "$")
            .param("row", cell.row().name())
            .param("partitions", Integer.toString(cell.group().partitions()))
            .param("members", Integer.toString(cell.group().members()))
            .param("subscriptions", cell.group().subscriptions().name())
            .param("change", cell.group().change().name())
            .forks(effort.forks())
            .warmupIterations(effort.warmups())
            .warmupTime(time)
            .measurementIterations(effort.iterations())
            .measurementTime(time)
            .addProfiler(GCProfiler.class)
            .verbosity(VerboseMode.SILENT);
    return effort.forks() == 0
        ? options.shouldFailOnError(true)
        : options
            .jvmArgs("-Xms" + effort.heap(), "-Xmx" + effort.heap())
            .jvmArgsAppend(Limit.options(ended, effort.limitSeconds()));
  }

  private static double allocated(RunResult result) {
    for (String name : result.getSecondaryResults().keySet()) {
      if (name.endsWith(ALLOCATED)) {
        return result.getSecondaryResults().get(name).getScore();
      }
    }
    return Double.NaN;
  }
}
