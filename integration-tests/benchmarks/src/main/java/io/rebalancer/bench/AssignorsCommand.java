package io.rebalancer.bench;

import io.rebalancer.bench.Outcome.Unmeasured;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code bench assignors}. */
@Command(
    name = "assignors",
    description = {
      "Times our assignors beside those of kafka's client and group coordinator, each in a JVM of"
          + " its own, and prints Markdown tables: milliseconds and MB allocated for one"
          + " assignment, and how many times ours the others take.",
      "Without flags it measures all sizes, in about twenty minutes."
    },
    mixinStandardHelpOptions = true)
final class AssignorsCommand implements Callable<Integer> {

  private static final int MOST_PARTITIONS = 10_000_000;
  private static final int MOST_MEMBERS = 100_000;
  private static final int LONGEST_SECONDS = 3_600;

  @Spec private CommandSpec spec;

  @Option(
      names = "--partitions",
      split = ",",
      paramLabel = "N",
      description = "numbers of partitions; else 1000,10000,100000,1000000")
  private List<Integer> partitions = List.of();

  @Option(
      names = "--members",
      split = ",",
      paramLabel = "N",
      description = "numbers of members; else 100,1000,10000")
  private List<Integer> members = List.of();

  @Option(
      names = "--subscriptions",
      split = ",",
      paramLabel = "WHICH",
      description = "identical or mixed, or both with a comma between; else both")
  private List<Subscriptions> subscriptions = List.of(Subscriptions.values());

  @Option(
      names = "--changes",
      split = ",",
      paramLabel = "WHICH",
      description = "fresh or leave, or both with a comma between; else both")
  private List<Change> changes = List.of(Change.values());

  @Option(
      names = "--assignors",
      split = ",",
      paramLabel = "NAME",
      converter = RowName.class,
      description = "columns of the tables by their names; else all")
  private List<Row> assignors = List.of(Row.values());

  @Option(
      names = "--quick",
      description = "1000 and 10000 partitions, 100 members, short: less than a minute")
  private boolean quick;

  @Option(
      names = "--all",
      description = "tries what kafka's client is known not to finish in a minute, too")
  private boolean all;

  @Option(
      names = "--limit",
      defaultValue = "60",
      paramLabel = "SECONDS",
      description = "when to give up on one assignment; ${DEFAULT-VALUE} unless given")
  private int limitSeconds;

  @Option(
      names = "--heap",
      defaultValue = "4g",
      paramLabel = "SIZE",
      description = "of each JVM that measures, such as 512m; ${DEFAULT-VALUE} unless given")
  private String heap;

  @Override
  public Integer call() throws RunnerException, IOException {
    check();
    List<Table> tables = new ArrayList<>();
    Set<Cell> shown = new HashSet<>();
    for (Table table : tables()) {
      Table some = table.only(EnumSet.copyOf(assignors));
      if (shown.addAll(some.cells()) || !some.heap().isEmpty()) {
        tables.add(some);
      }
    }
    tables.removeIf(table -> table.columns().isEmpty());
    if (tables.isEmpty()) {
      throw usage("--assignors", assignors, "one that --quick measures");
    }
    warnOfOthers();
    return new Measuring(tables).run();
  }

  private void warnOfOthers() {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    int processors = Runtime.getRuntime().availableProcessors();
    if (load > processors / 2.0) {
      spec.commandLine()
          .getErr()
          .printf(
              Locale.ROOT,
              "rebalancer: load average %.1f on %d processors: others are running, and times will"
                  + " be too long%n",
              load,
              processors);
    }
  }

  private List<Table> tables() {
    boolean chosen = !partitions.isEmpty() || !members.isEmpty();
    List<Integer> counts =
        quick ? List.of(1_000, 10_000) : List.of(1_000, 10_000, 100_000, 1_000_000);
    List<Integer> sizes = quick ? List.of(100) : List.of(100, 1_000, 10_000);
    Tables.Scope scope =
        new Tables.Scope(
            partitions.isEmpty() ? counts : distinct(partitions),
            members.isEmpty() ? sizes : distinct(members),
            distinct(subscriptions),
            distinct(changes),
            chosen);
    return quick ? Tables.quick(scope) : Tables.full(scope);
  }

  private static <T> List<T> distinct(List<T> values) {
    return List.copyOf(new LinkedHashSet<>(values));
  }

  private void check() {
    within("--partitions", partitions, 1, MOST_PARTITIONS);
    within("--members", members, changes.contains(Change.LEAVE) ? 2 : 1, MOST_MEMBERS);
    within("--limit", List.of(limitSeconds), 1, LONGEST_SECONDS);
    if (!heap.matches("[1-9][0-9]{0,5}[kKmMgG]")) {
      throw usage("--heap", heap, "a size such as 512m or 4g");
    }
  }

  private void within(String flag, List<Integer> values, int least, int most) {
    for (int value : values) {
      if (value < least || value > most) {
        throw usage(flag, value, least + " to " + most);
      }
    }
  }

  private ParameterException usage(String flag, Object value, String expected) {
    return new ParameterException(
        spec.commandLine(), flag + ": " + value + " (expected: " + expected + ")");
  }

  static final class RowName implements ITypeConverter<Row> {

    @Override
    public Row convert(String name) {
      for (Row row : Row.values()) {
        if (row.toString().equals(name)) {
          return row;
        }
      }
      throw new TypeConversionException(
          "'%s' is none of %s"
              .formatted(
                  name,
                  Arrays.stream(Row.values())
                      .map(Row::toString)
                      .collect(Collectors.joining(", "))));
    }
  }

  /** Measures what the tables share once, and prints each table when it is full. */
  private final class Measuring {

    private final List<Table> tables;
    private final int count;
    private final PrintWriter out = spec.commandLine().getOut();
    private final PrintWriter err = spec.commandLine().getErr();
    private final Map<String, Map<Cell, Outcome>> outcomes = new HashMap<>();
    private int done;
    private boolean oursFailed;

    Measuring(List<Table> tables) {
      this.tables = tables;
      Set<String> different =
          tables.stream()
              .flatMap(table -> table.cells().stream().map(cell -> table.heap() + cell))
              .collect(Collectors.toSet());
      this.count = different.size();
    }

    int run() throws RunnerException, IOException {
      for (Table table : tables) {
        fill(table, effort(table));
        out.println(table.markdown(outcomes.getOrDefault(table.heap(), Map.of())));
      }
      return oursFailed ? Main.FAILED : Main.DONE;
    }

    private Effort effort(Table table) {
      String size = table.heap().isEmpty() ? heap : table.heap();
      Effort effort = quick ? Effort.quick(size, limitSeconds) : Effort.full(size, limitSeconds);
      return all ? effort.tryingAll() : effort;
    }

    private void fill(Table table, Effort effort) throws RunnerException, IOException {
      Map<Cell, Outcome> known = outcomes.computeIfAbsent(table.heap(), ignored -> new HashMap<>());
      for (Cell cell : table.cells()) {
        if (known.containsKey(cell)) {
          continue;
        }
        Outcome outcome =
            cell.tries() > effort.mostTries()
                ? new Unmeasured("not tried")
                : CellRunner.run(cell, effort.at(cell.group().partitions()));
        known.put(cell, outcome);
        oursFailed |= cell.row().isOurs() && outcome instanceof Unmeasured;
        done++;
        err.println("[%d/%d] %s: %s".formatted(done, count, cell, outcome.text(outcome)));
      }
    }
  }
}
