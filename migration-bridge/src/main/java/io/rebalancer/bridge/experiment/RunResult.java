package io.rebalancer.bridge.experiment;

import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * One engine through one scenario, as it stands in {@code results.json}. Times are milliseconds.
 * What was not measured is null, never 0. The definitions are in docs/experiments.md.
 *
 * @param profile of the zk engine; null for the coordinator
 * @param protocol {@code zookeeper}, or the coordinator's
 * @param members before the change
 * @param partitions before the change, over all topics
 * @param settledMs from the change to the last movement before the group was settled, added up over
 *     the changes of the scenario; null if it was not settled by the deadline
 * @param gaveUp times that a member used up its tries
 * @param nudges times the group had to be touched before the change, because somebody had given up
 * @param problems why this run is invalid; empty if it is valid
 */
public record RunResult(
    String engine,
    @Nullable String profile,
    String protocol,
    String scenario,
    int members,
    int partitions,
    Notifications notifications,
    Rebalances rebalances,
    @Nullable Double settledMs,
    int gaveUp,
    int nudges,
    @Nullable Spread unownedMs,
    @Nullable Spread stoppedMs,
    double doubleOwnedMs,
    int moves,
    int minimumMoves,
    ZooKeeperCost zookeeper,
    LedgerResult ledger,
    Assignments assignments,
    List<String> problems) {

  public RunResult {
    problems = List.copyOf(problems);
  }

  /**
   * Watch events of the change, by witness.
   *
   * @param server null where its counters cannot be read or are not ours alone
   * @param model null where a race decides
   */
  public record Notifications(
      long client, @Nullable Long server, @Nullable Long model, long useful) {}

  /** Rebalance attempts of the change by how they ended, and how many were needed. */
  public record Rebalances(
      int attempts, int productive, int redundant, int failed, int necessary) {}

  /** Over all partitions, or all members. */
  public record Spread(double p50, double max) {}

  /**
   * What the change cost ZooKeeper.
   *
   * @param reads requests that the engine sent
   * @param writes requests that the engine sent, a multi as one
   * @param serverReads as the server counted them: pings are among them
   * @param serverWrites as the server counted them: opened and closed sessions, and the change
   *     itself, are among them
   * @param watchesHeld by the engine, when the group was settled again
   * @param connections of the engine, when the group was settled again
   * @param bytesReceived by the server
   * @param bytesSent by the server
   */
  public record ZooKeeperCost(
      long reads,
      long writes,
      @Nullable Long serverReads,
      @Nullable Long serverWrites,
      @Nullable Long watchesHeld,
      @Nullable Long connections,
      @Nullable Long bytesReceived,
      @Nullable Long bytesSent) {}

  /** The checker's verdict on the run's ledger: {@code valid} or {@code invalid}. */
  public record LedgerResult(String verdict, List<String> violations) {}

  /** Who owned what, by member, such as {@code t000:0-4}. */
  public record Assignments(SortedMap<String, String> before, SortedMap<String, String> after) {}
}
