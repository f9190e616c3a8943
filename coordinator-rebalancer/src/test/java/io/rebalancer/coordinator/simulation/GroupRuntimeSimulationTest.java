package io.rebalancer.coordinator.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.coordinator.simulation.Simulation.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/**
 * The state machine and its runtime through thousands of lives of groups, see docs/testing.md.
 * {@code -Drebalancer.seed=N} runs that one seed and prints its trace.
 */
class GroupRuntimeSimulationTest {

  private static final int SEEDS = 2_000;
  private static final int SOAK_SEEDS = 100_000;
  private static final int LAST_LINES = 60;
  private static final Logger JOURNAL =
      (Logger) LoggerFactory.getLogger("io.rebalancer.coordinator.runtime.GroupJournal");

  /** What fails here fails on purpose, many times a second. */
  @BeforeAll
  static void silence() {
    JOURNAL.setLevel(Level.OFF);
  }

  @AfterAll
  static void speak() {
    JOURNAL.setLevel(null);
  }

  @Test
  void everySeedKeepsTheInvariantsAndSettles() {
    Long one = Long.getLong("rebalancer.seed");
    if (one != null) {
      replay(one);
      return;
    }

    Counts counts = runAll(1, SEEDS);

    assertThat(counts.takeovers).isGreaterThan(2 * SEEDS);
    assertThat(counts.completed).isGreaterThan(3 * SEEDS);
    assertThat(counts.aborted).isGreaterThan(SEEDS / 4);
    assertThat(counts.removed).isGreaterThan(SEEDS / 4);
    assertThat(counts.zombies).isPositive();
    assertThat(counts.shared).isGreaterThan(2 * SEEDS);
    assertThat(counts.deleted).isGreaterThan(SEEDS / 10);
    assertThat(counts.unassigned).isPositive();
    assertThat(counts.answers.get(RequestKind.HEARTBEAT))
        .containsKeys(
            GroupError.NONE,
            GroupError.REBALANCE_IN_PROGRESS,
            GroupError.ILLEGAL_GENERATION,
            GroupError.UNKNOWN_MEMBER_ID,
            GroupError.NOT_COORDINATOR);
  }

  @Test
  @Tag("soak")
  void aHundredThousandSeedsKeepTheInvariantsAndSettle() {
    Counts counts = runAll(1, SOAK_SEEDS);

    assertThat(counts.completed).isGreaterThan(3 * SOAK_SEEDS);
  }

  @Test
  void oneSeedIsOneTrace() {
    for (long seed = 1; seed <= 20; seed++) {
      Outcome first = Simulation.run(seed, PlantedFault.NONE, true);
      Outcome second = Simulation.run(seed, PlantedFault.NONE, true);

      assertThat(second.trace()).as("seed " + seed).isEqualTo(first.trace());
      assertThat(second.fingerprint()).as("seed " + seed).isEqualTo(first.fingerprint());
    }
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aPlantedFaultIsFoundByItsInvariant(PlantedFault planted) {
    Optional<Long> found =
        LongStream.rangeClosed(1, planted.seeds)
            .filter(
                seed ->
                    Simulation.run(seed, planted, false)
                        .violation()
                        .filter(violation -> violation.broken == planted.breaks)
                        .isPresent())
            .boxed()
            .findFirst();

    assertThat(found).as(planted + " within " + planted.seeds + " seeds").isPresent();
  }

  @Test
  void everyInvariantHasAPlantedFault() {
    assertThat(PlantedFault.values())
        .extracting(planted -> planted.breaks)
        .contains(Invariant.values());
  }

  private static Counts runAll(long first, long last) {
    Counts sum = new Counts();
    List<Outcome> failed =
        LongStream.rangeClosed(first, last)
            .parallel()
            .mapToObj(
                seed -> {
                  Outcome outcome = Simulation.run(seed, PlantedFault.NONE, false);
                  synchronized (sum) {
                    sum.add(outcome.counts());
                  }
                  return outcome;
                })
            .filter(outcome -> outcome.violation().isPresent())
            .sorted((a, b) -> Long.compare(a.seed(), b.seed()))
            .toList();
    System.out.println((last - first + 1) + " seeds: " + sum);
    if (!failed.isEmpty()) {
      throw new AssertionError(
          failed.size()
              + " seeds failed: "
              + failed.stream().limit(20).map(Outcome::seed).toList()
              + "\n"
              + described(failed.get(0).seed()));
    }
    return sum;
  }

  private static String described(long seed) {
    Outcome outcome = Simulation.run(seed, PlantedFault.NONE, true);
    List<String> trace = outcome.trace();
    return "seed "
        + seed
        + ": "
        + outcome.violation().map(Throwable::getMessage).orElse("not again")
        + "\nreplay: "
        + "mvn -B -pl coordinator-rebalancer -am test -Dtest=GroupRuntimeSimulationTest"
        + "#everySeedKeepsTheInvariantsAndSettles -Dsurefire.failIfNoSpecifiedTests=false"
        + " -Drebalancer.seed="
        + seed
        + "\n"
        + String.join("\n", trace.subList(Math.max(0, trace.size() - LAST_LINES), trace.size()));
  }

  private static void replay(long seed) {
    Outcome outcome = Simulation.run(seed, PlantedFault.NONE, true);
    outcome.trace().forEach(System.out::println);
    System.out.println("seed " + seed + ": " + outcome.counts());
    outcome
        .violation()
        .ifPresent(
            violation -> {
              throw new AssertionError("seed " + seed + ": " + violation.getMessage(), violation);
            });
  }
}
