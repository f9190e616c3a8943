package io.rebalancer.bridge.experiment;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * Everything a comparison was run with, as it stands in {@code results.json}. Both engines get the
 * same timings wherever both have them.
 *
 * @param partitions of each topic
 * @param threads streams of each member for each topic
 * @param restarts members that {@code rolling-restart} restarts, one after another
 * @param exclusive whether a foreign ensemble is otherwise quiet, so that its counters can be a
 *     witness
 */
public record CompareParameters(
    int members,
    int topics,
    int partitions,
    int brokers,
    int threads,
    List<String> scenarios,
    List<String> engines,
    String profile,
    long heartbeatMs,
    long sessionMs,
    long backoffMs,
    int retries,
    long initialDelayMs,
    int restarts,
    long seed,
    boolean exclusive) {

  public CompareParameters {
    scenarios = List.copyOf(scenarios);
    engines = List.copyOf(engines);
  }

  /** How long nothing may move before a group counts as settled. */
  @JsonProperty
  public long quietMs() {
    return 1000;
  }

  /**
   * How long a group may take to settle: a lost session and all tries of a member, and 30 s for
   * machines that are busy with something else.
   */
  @JsonProperty
  public long deadlineMs() {
    return sessionMs + retries * backoffMs + 2 * heartbeatMs + 30_000;
  }

  /** Partitions over all topics. */
  int allPartitions() {
    return topics * partitions;
  }
}
