package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.SimulatedGroup.share;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups whose leader waits for vanished members, over the coordinator's own state machine. */
class DelayedRebalanceTest {

  private static final Duration DELAY = Duration.ofSeconds(60);

  /** Longer than a session of 10 s and what follows it. */
  private static final Duration SETTLED = Duration.ofSeconds(20);

  private static SimulatedGroup ofThree(Duration delay) {
    SimulatedGroup group = new SimulatedGroup("uniform", 1, 6).delayed(delay);
    group.join("C1");
    group.join("C2");
    group.run(SETTLED);
    group.join("C3");
    group.run(SETTLED);
    assertThat(group.shares())
        .isEqualTo(Map.of("C1", share(1, 2), "C2", share(4, 5), "C3", share(3, 6)));
    assertThat(group.delays()).containsOnly(Duration.ZERO);
    return group;
  }

  /** {@code Stable uniform (delay 41300 ms)}. */
  private static Duration describedDelay(SimulatedGroup group) {
    Matcher told =
        Pattern.compile("Stable uniform \\(delay (\\d+) ms\\)").matcher(group.described());
    assertThat(told.matches()).as(group.described()).isTrue();
    return Duration.ofMillis(Long.parseLong(told.group(1)));
  }

  private static List<String> told(SimulatedGroup group, int from) {
    return group.history(from).stream().filter(line -> !line.contains("GRANTED")).toList();
  }

  @Test
  void e51WhoComesBackWithinTheDelayGetsBackWhatItHadAndNobodyElseStops() {
    SimulatedGroup group = ofThree(DELAY);
    int generation = group.generation();
    int before = group.ledger.size();

    group.crash("C2");
    group.run(SETTLED);

    assertThat(group.generation()).as("round 1").isEqualTo(generation + 1);
    assertThat(group.shares()).isEqualTo(Map.of("C1", share(1, 2), "C3", share(3, 6)));
    Duration first = group.delays().get(0);
    assertThat(first).isLessThan(DELAY).isGreaterThan(DELAY.minus(SETTLED));
    assertThat(describedDelay(group))
        .as("the group leader said so a little before it heard it itself")
        .isBetween(first.minus(Duration.ofMillis(20)), first);

    group.join("C2");
    group.run(SETTLED);

    assertThat(group.generation()).as("round 2").isEqualTo(generation + 2);
    assertThat(group.shares())
        .isEqualTo(Map.of("C1", share(1, 2), "C2", share(), "C3", share(3, 6)));
    assertThat(group.delays())
        .as("what is left of the delay: the simulated wire takes 2 ms each way")
        .allSatisfy(
            left ->
                assertThat(left)
                    .isBetween(
                        first.minus(SETTLED), first.minus(SETTLED).plus(Duration.ofMillis(20))));

    group.run(DELAY);

    assertThat(group.generation()).as("round 3").isEqualTo(generation + 3);
    assertThat(group.shares())
        .isEqualTo(Map.of("C1", share(1, 2), "C2", share(4, 5), "C3", share(3, 6)));
    assertThat(group.delays()).containsOnly(Duration.ZERO);
    assertThat(group.described()).isEqualTo("Stable uniform");
    assertThat(told(group, before)).containsExactly("C2 LOST t:4-5", "C2 ASSIGNED t:4-5");
    assertThat(group.check().violations()).isEmpty();
  }

  @Test
  void e52WhatNobodyComesBackForIsSharedWhenTheDelayEnds() {
    SimulatedGroup group = ofThree(DELAY);
    int before = group.ledger.size();

    group.crash("C2");
    group.run(DELAY);
    assertThat(group.shares()).isEqualTo(Map.of("C1", share(1, 2), "C3", share(3, 6)));
    group.run(SETTLED);

    assertThat(group.shares().get("C1").plus(group.shares().get("C3")))
        .isEqualTo(share(1, 2, 3, 4, 5, 6));
    assertThat(group.shares().values()).allSatisfy(share -> assertThat(share.size()).isEqualTo(3));
    assertThat(told(group, before))
        .hasSize(3)
        .contains("C2 LOST t:4-5")
        .noneMatch(line -> line.contains("REVOKED"));
    assertThat(group.delays()).containsOnly(Duration.ZERO);
    assertThat(group.check().violations()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform", "weighted"})
  void b052ADelayOfZeroDelaysNothing(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 0, 9).delayed(Duration.ZERO);
    group.join("c1");
    group.join("c2");
    group.join("c3");
    group.run(SETTLED);
    int generation = group.generation();

    group.crash("c3");
    group.run(SETTLED);

    assertThat(group.generation()).isEqualTo(generation + 1);
    assertThat(group.sizes()).containsExactly(4, 5);
    assertThat(group.delays()).containsOnly(Duration.ZERO);
    assertThat(group.check().violations()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform", "weighted"})
  void b054ReplacementsShareWhatWasLostAndNobodyElseLosesAnything(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 0, 16).delayed(Duration.ofSeconds(10));
    for (String name : List.of("c1", "c2", "c3", "c4")) {
      group.join(name);
    }
    group.run(SETTLED);
    assertThat(group.sizes()).containsExactly(4, 4, 4, 4);
    int before = group.ledger.size();

    group.crash("c3");
    group.crash("c4");
    group.run(Duration.ofSeconds(3));
    group.join("c5");
    group.run(Duration.ofSeconds(1));
    group.join("c6");
    group.run(Duration.ofSeconds(11));
    assertThat(group.sizes()).as("the delay goes on").containsExactly(0, 0, 4, 4);
    int generation = group.generation();
    group.run(SETTLED);

    assertThat(group.sizes()).containsExactly(4, 4, 4, 4);
    assertThat(group.generation() - generation).isLessThanOrEqualTo(2);
    assertThat(told(group, before))
        .filteredOn(line -> line.startsWith("c1") || line.startsWith("c2"))
        .isEmpty();
    assertThat(group.check().violations()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"uniform", "weighted"})
  void b054AMemberThatJoinsDuringTheSecondRoundGetsItsShareToo(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 0, 12).delayed(Duration.ofSeconds(10));
    group.join("c1");
    group.run(SETTLED);
    assertThat(group.sizes()).containsExactly(12);
    int entries = group.ledger.size();

    group.join("c2");
    while (group.ledger.stream().skip(entries).noneMatch(e -> e.kind() == Kind.REVOKED)) {
      group.run(Duration.ofMillis(1));
    }
    group.join("c3");
    group.run(SETTLED);

    assertThat(group.sizes()).containsExactly(4, 4, 4);
    assertThat(group.delays()).containsOnly(Duration.ZERO);
    assertThat(group.check().violations()).isEmpty();
  }

  @Test
  void anotherGroupLeaderGoesOnWithTheDelayAndParksWhatTheFormerHad() {
    SimulatedGroup group = ofThree(DELAY);
    group.crash("C2");
    group.run(SETTLED);
    Duration left = group.delays().get(0);
    int before = group.ledger.size();

    group.crash("C1");
    group.run(SETTLED);

    assertThat(group.shares()).isEqualTo(Map.of("C3", share(3, 6)));
    assertThat(group.delays().get(0)).isLessThan(left.minus(SETTLED).plusMillis(20)).isPositive();

    group.join("C2");
    group.run(DELAY);

    assertThat(group.shares().get("C2"))
        .as("what it had, and a part of what was the former leader's")
        .matches(share -> share.and(share(4, 5)).equals(share(4, 5)));
    assertThat(group.sizes()).containsExactly(3, 3);
    assertThat(told(group, before)).noneMatch(line -> line.startsWith("C3 REVOKED"));
    assertThat(group.check().violations()).isEmpty();
  }

  @Test
  void newPartitionsAreGivenAtOnceWhileOthersWait() {
    SimulatedGroup group = ofThree(DELAY);
    group.crash("C2");
    group.run(SETTLED);

    group.addPartitions(7, 2);
    group.join("C4");
    group.run(SETTLED);

    assertThat(group.delays()).noneMatch(Duration::isZero);
    assertThat(group.shares())
        .isEqualTo(Map.of("C1", share(1, 2), "C3", share(3, 6), "C4", share(7, 8)));
  }

  @Test
  void aStaticMemberIsKnownByItsInstanceIdWhateverItsName() {
    SimulatedGroup group = new SimulatedGroup("uniform", 0, 6).delayed(DELAY);
    group.join("a");
    group.run(SETTLED);
    group.joinStatic("b");
    group.join("c");
    group.run(SETTLED);
    Map<String, Assignment> shares = group.shares();

    group.crash("b");
    group.run(SETTLED);
    group.join("d");
    group.run(SETTLED);
    group.joinStatic("b");
    group.run(DELAY);

    assertThat(group.shares().get("b")).isEqualTo(shares.get("b"));
    assertThat(group.sizes().stream().mapToInt(Integer::intValue).sum()).isEqualTo(6);
    assertThat(group.check().violations()).isEmpty();
  }

  @Test
  void anEmptyGroupThatFillsAgainDoesNotWait() {
    SimulatedGroup group = ofThree(DELAY);
    for (String name : List.of("C1", "C2", "C3")) {
      group.crash(name);
    }
    group.run(SETTLED);

    group.join("C1");
    group.run(SETTLED);

    assertThat(group.shares()).isEqualTo(Map.of("C1", share(1, 2, 3, 4, 5, 6)));
  }
}
