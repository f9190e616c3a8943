package io.rebalancer.bridge.experiment;

import static io.rebalancer.core.observe.Observation.Requested.Kind.READ;
import static io.rebalancer.core.observe.Observation.Requested.Kind.WRITE;

import io.rebalancer.bridge.experiment.RunRecord.Mark;
import io.rebalancer.bridge.experiment.RunResult.Assignments;
import io.rebalancer.bridge.experiment.RunResult.LedgerResult;
import io.rebalancer.bridge.experiment.RunResult.Notifications;
import io.rebalancer.bridge.experiment.RunResult.ZooKeeperCost;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.ServerCounters;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerVerdict;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One engine through one scenario: bring the members up, settle, change, settle, measure. */
final class Run {

  private static final GroupId GROUP = new GroupId("compare");
  private static final int NUDGES = 3;

  private final CompareParameters parameters;
  private final Scenario scenario;
  private final EngineUnderTest underTest;
  private final Recorder recorder;
  private final Stage stage;
  private final Ticker ticker;
  private final Settling settling;
  private final Consumer<String> progress;
  private final List<Mark> marks = new ArrayList<>();

  Run(
      CompareParameters parameters,
      Scenario scenario,
      EngineUnderTest underTest,
      Recorder recorder,
      ClusterNodes cluster,
      Ticker ticker,
      Runnable check,
      Consumer<String> progress) {
    this.parameters = parameters;
    this.scenario = scenario;
    this.underTest = underTest;
    this.recorder = recorder;
    this.stage = new Stage(parameters, cluster, underTest.engine(), recorder, GROUP);
    this.ticker = ticker;
    this.settling = new Settling(ticker, check, Duration.ofMillis(parameters.quietMs()));
    this.progress = progress;
  }

  RunRecord measure(
      ConnectString ensemble,
      Optional<ServerCounters> beforeEngine,
      Supplier<Optional<ServerCounters>> counters) {
    long startNanos = ticker.nanos();
    OptionalLong model = scenario.expectedNotifications(underTest.watching(), parameters);
    int nudges = bringUp();

    Optional<ServerCounters> countersBefore = counters.get();
    long readsBefore = recorder.requests(READ);
    long writesBefore = recorder.requests(WRITE);
    SortedMap<String, Assignment> before = stage.beliefs();
    long fromNanos = ticker.nanos();
    Changed changed = change();

    Measurement measurement =
        new Measurement(
            recorder.observations(), fromNanos, changed.atNanos(), before, stage.beliefs());
    Optional<ServerCounters> counted =
        counters.get().flatMap(now -> countersBefore.map(now::since));
    Witnesses witnesses =
        new Witnesses(
            measurement.delivered(),
            measurement.reconnected(),
            underTest.doublyWatched(GROUP),
            ensemble.chroot().length(),
            counted,
            model);
    LedgerVerdict verdict = LedgerChecker.check(recorder.ledger(), ticker.nanos());
    ZooKeeperCost cost =
        cost(
            recorder.requests(READ) - readsBefore,
            recorder.requests(WRITE) - writesBefore,
            counted,
            beforeEngine);
    return new RunRecord(
        result(measurement, witnesses, verdict, cost, changed, nudges),
        startNanos,
        recorder.observations(),
        marks);
  }

  /** Returns how many nudges it took. */
  private int bringUp() {
    progress.accept("members join");
    long joiningNanos = ticker.nanos();
    stage.firstMembers().forEach(stage::join);
    int nudges = 0;
    while (settling.await(stage, recorder, joiningNanos, () -> true, deadline()).isEmpty()) {
      if (nudges == NUDGES) {
        throw new IllegalStateException(
            underTest.engine().name() + ", " + scenario.name() + ": " + unsettled());
      }
      nudges++;
      stage.nudge();
      joiningNanos = ticker.nanos();
    }
    return nudges;
  }

  private String unsettled() {
    SortedMap<String, Assignment> beliefs = stage.beliefs();
    List<String> wrong =
        stage.rightful().entrySet().stream()
            .filter(share -> !share.getValue().equals(beliefs.get(share.getKey())))
            .map(
                share ->
                    "%s owns %s (expected: %s)"
                        .formatted(share.getKey(), beliefs.get(share.getKey()), share.getValue()))
            .toList();
    return "the group did not settle before the change: "
        + (wrong.isEmpty()
            ? "it is never quiet"
            : wrong.size()
                + " of "
                + stage.memberNames().size()
                + " members are wrong, "
                + wrong.get(0));
  }

  private Duration deadline() {
    return Duration.ofMillis(parameters.deadlineMs());
  }

  /**
   * The scenario's changes, made.
   *
   * @param settledNanos added up; empty if the group was not settled by the deadline
   * @param minimumMoves added up
   * @param atNanos when the group had settled, or the deadline
   */
  private record Changed(OptionalLong settledNanos, int moves, int minimumMoves, long atNanos) {}

  private Changed change() {
    long settledNanos = 0;
    long endNanos = ticker.nanos();
    int moves = 0;
    int minimumMoves = 0;
    List<Scenario.Change> changes = scenario.changes(stage);
    for (int i = 0; i < changes.size(); i++) {
      progress.accept(
          changes.size() == 1 ? "change" : "change " + (i + 1) + " of " + changes.size());
      SortedMap<String, Assignment> before = stage.beliefs();
      long triggeredNanos = ticker.nanos();
      marks.add(new Mark(triggeredNanos, "change", changes.get(i).what()));
      changes.get(i).action().run();
      OptionalLong settled =
          settling.await(
              stage, recorder, triggeredNanos, () -> inEffect(triggeredNanos), deadline());
      SortedMap<String, Assignment> after = stage.beliefs();
      moves += Moves.count(before, after);
      minimumMoves +=
          Moves.minimum(before, after.keySet(), parameters.threads(), stage.partitions());
      endNanos = settled.orElse(ticker.nanos());
      marks.add(
          new Mark(endNanos, settled.isPresent() ? "settled" : "deadline", changes.get(i).what()));
      if (settled.isEmpty()) {
        return new Changed(settled, moves, minimumMoves, endNanos);
      }
      settledNanos += settled.getAsLong() - triggeredNanos;
    }
    return new Changed(OptionalLong.of(settledNanos), moves, minimumMoves, endNanos);
  }

  private boolean inEffect(long triggeredNanos) {
    return scenario.everybodyReacts(underTest.watching())
        ? recorder.allAttemptedSince(stage.memberNames(), triggeredNanos)
        : recorder.deliveredSince(triggeredNanos)
            >= scenario.expectedNotifications(underTest.watching(), parameters).orElse(0);
  }

  private static ZooKeeperCost cost(
      long reads,
      long writes,
      Optional<ServerCounters> counted,
      Optional<ServerCounters> beforeEngine) {
    if (counted.isEmpty() || beforeEngine.isEmpty()) {
      return new ZooKeeperCost(reads, writes, null, null, null, null, null, null);
    }
    ServerCounters window = counted.get();
    return new ZooKeeperCost(
        reads,
        writes,
        window.reads(),
        window.writes(),
        window.watches() - beforeEngine.get().watches(),
        window.connections() - beforeEngine.get().connections(),
        window.bytesReceived(),
        window.bytesSent());
  }

  private RunResult result(
      Measurement measurement,
      Witnesses witnesses,
      LedgerVerdict verdict,
      ZooKeeperCost cost,
      Changed changed,
      int nudges) {
    List<String> problems = new ArrayList<>(witnesses.disagreements());
    List<String> violations = verdict.violations().stream().map(Object::toString).toList();
    violations.forEach(violation -> problems.add("ledger: " + violation));
    return new RunResult(
        underTest.engine().name(),
        underTest.profile(),
        underTest.protocol(),
        scenario.name(),
        parameters.members(),
        parameters.allPartitions(),
        new Notifications(
            witnesses.client(),
            witnesses.server().map(ServerCounters::events).orElse(null),
            witnesses.model().isPresent() ? witnesses.model().getAsLong() : null,
            measurement.useful()),
        measurement.rebalances(),
        changed.settledNanos().isPresent()
            ? Measurement.rounded(changed.settledNanos().getAsLong())
            : null,
        measurement.gaveUp(),
        nudges,
        measurement.unowned(stage.partitions()).orElse(null),
        measurement.stopped().orElse(null),
        measurement.doubleOwnedMs(),
        changed.moves(),
        changed.minimumMoves(),
        cost,
        new LedgerResult(verdict.valid() ? "valid" : "invalid", violations),
        new Assignments(texts(measurement.before()), texts(measurement.after())),
        problems);
  }

  private static SortedMap<String, String> texts(SortedMap<String, Assignment> assignments) {
    SortedMap<String, String> texts = new TreeMap<>();
    assignments.forEach((member, share) -> texts.put(member, share.toString()));
    return texts;
  }
}
