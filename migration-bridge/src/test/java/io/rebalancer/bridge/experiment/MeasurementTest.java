package io.rebalancer.bridge.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.experiment.RunResult.Rebalances;
import io.rebalancer.bridge.experiment.RunResult.Spread;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.AttemptEnded;
import io.rebalancer.core.observe.Observation.AttemptStarted;
import io.rebalancer.core.observe.Observation.Ownership;
import io.rebalancer.core.observe.Observation.WatchDelivered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MeasurementTest {

  private static final long MS = 1_000_000;
  private static final Assignment ALL = Assignment.of("t", PartitionSet.range(0, 4));
  private static final Assignment LOW = Assignment.of("t", PartitionSet.range(0, 2));
  private static final Assignment HIGH = Assignment.of("t", PartitionSet.range(2, 2));
  private static final Assignment NONE = Assignment.empty();

  private final List<Observation> observations = new ArrayList<>();

  private void owns(long atMs, Kind kind, String member, Assignment share) {
    observations.add(
        new Ownership(
            new LedgerEntry(atMs * MS, kind, new GroupId("g"), member, share, FencingToken.NONE)));
  }

  private void attempt(
      long fromMs,
      long toMs,
      String member,
      int number,
      boolean failed,
      boolean superseded,
      Assignment before,
      Assignment after) {
    observations.add(new AttemptStarted(fromMs * MS, member, number, "members"));
    observations.add(
        new AttemptEnded(toMs * MS, member, number, failed, superseded, before, after));
  }

  private static SortedMap<String, Assignment> shares(Map<String, Assignment> shares) {
    return new TreeMap<>(shares);
  }

  /** b joins a's group: a is told, gives everything up and takes the lower half again. */
  private Measurement join() {
    owns(0, Kind.ASSIGNED, "a", ALL);
    observations.add(new WatchDelivered(101 * MS, "a", "NodeChildrenChanged", "/consumers/g/ids"));
    owns(105, Kind.REVOKED, "a", ALL);
    attempt(103, 110, "b", 1, true, false, NONE, NONE);
    attempt(102, 112, "a", 7, false, false, ALL, LOW);
    owns(112, Kind.ASSIGNED, "a", LOW);
    attempt(120, 130, "b", 2, false, false, NONE, HIGH);
    owns(130, Kind.ASSIGNED, "b", HIGH);
    attempt(140, 150, "a", 8, false, false, LOW, LOW);
    attempt(160, 170, "b", 3, false, true, HIGH, HIGH);
    return new Measurement(
        observations,
        100 * MS,
        200 * MS,
        shares(Map.of("a", ALL)),
        shares(Map.of("a", LOW, "b", HIGH)));
  }

  @Test
  void everyAttemptIsProductiveRedundantOrFailed() {
    assertThat(join().rebalances()).isEqualTo(new Rebalances(5, 2, 2, 1, 2));
  }

  @Test
  void anAttemptThatDidNotEndIsFailed() {
    observations.add(new AttemptStarted(150 * MS, "a", 1, "members"));

    Measurement open =
        new Measurement(observations, 100 * MS, 200 * MS, shares(Map.of()), shares(Map.of()));

    assertThat(open.rebalances()).isEqualTo(new Rebalances(1, 0, 0, 1, 0));
  }

  @Test
  void aNotificationIsUsefulWhenTheAttemptsItCausedEndWithAnotherSet() {
    assertThat(join().useful()).isEqualTo(1);
  }

  @Test
  void aNotificationIsUselessWhenTheSetIsTheSameAfterAFailureAndASuccess() {
    observations.add(new WatchDelivered(101 * MS, "a", "NodeChildrenChanged", "/x"));
    attempt(102, 103, "a", 1, true, false, LOW, NONE);
    attempt(104, 105, "a", 2, false, false, NONE, LOW);
    Measurement same =
        new Measurement(
            observations, 100 * MS, 200 * MS, shares(Map.of("a", LOW)), shares(Map.of("a", LOW)));

    assertThat(same.useful()).isZero();
    assertThat(same.rebalances()).isEqualTo(new Rebalances(2, 1, 0, 1, 0));
  }

  @Test
  void unownedTimeIsPerPartitionAndStoppedTimePerMemberThatStays() {
    Measurement join = join();

    assertThat(join.unowned(ALL)).contains(new Spread(7, 25));
    assertThat(join.stopped()).contains(new Spread(7, 7));
    assertThat(join.doubleOwnedMs()).isZero();
  }

  @Test
  void whatHappenedBeforeTheChangeDoesNotCount() {
    attempt(1, 2, "a", 1, false, false, NONE, ALL);
    observations.add(new WatchDelivered(3 * MS, "a", "NodeChildrenChanged", "/x"));

    Measurement quiet =
        new Measurement(
            observations, 100 * MS, 200 * MS, shares(Map.of("a", ALL)), shares(Map.of("a", ALL)));

    assertThat(quiet.delivered()).isEmpty();
    assertThat(quiet.rebalances()).isEqualTo(new Rebalances(0, 0, 0, 0, 0));
  }
}
