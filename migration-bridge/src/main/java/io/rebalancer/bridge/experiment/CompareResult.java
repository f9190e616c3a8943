package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.SortedMap;

/**
 * A whole comparison: {@code results.json}.
 *
 * @param environment versions, machine, and how ZooKeeper was run
 * @param verdict {@code valid} if every run is, else {@code invalid}
 */
public record CompareResult(
    String schema,
    SortedMap<String, Object> environment,
    CompareParameters parameters,
    String verdict,
    List<RunResult> runs) {

  private static final String SCHEMA = "rebalancer.compare/1";

  public static CompareResult of(
      SortedMap<String, Object> environment, CompareParameters parameters, List<RunResult> runs) {
    boolean valid = runs.stream().allMatch(run -> run.problems().isEmpty());
    return new CompareResult(
        SCHEMA, environment, parameters, valid ? "valid" : "invalid", List.copyOf(runs));
  }

  public boolean valid() {
    return verdict.equals("valid");
  }
}
