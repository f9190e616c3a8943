package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.SimulatedGroup.share;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cooperative members and the coordinator's state machine in virtual time. */
class CooperativeGroupTest {

  private static final Duration LONG = Duration.ofSeconds(20);

  @ParameterizedTest
  @ValueSource(strings = {"cooperative-sticky", "uniform"})
  void e50WhatMovesIsConsumedUntilTheFirstRoundIsAnsweredAndGivenInTheSecond(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 1, 6);
    group.join("C1");
    group.join("C2");
    group.run(LONG);
    assertThat(group.history(0))
        .containsExactly(
            "C1 GRANTED t:1-3", "C2 GRANTED t:4-6", "C1 ASSIGNED t:1-3", "C2 ASSIGNED t:4-6");
    int before = group.ledger.size();

    group.join("C3");
    group.run(LONG);

    assertThat(group.history(before))
        .as("C1 and C2 say nothing of what they keep, and revoke only after the first round")
        .containsExactly(
            "C1 GRANTED t:1-2",
            "C2 GRANTED t:4-5",
            "C1 REVOKED t:3",
            "C2 REVOKED t:6",
            "C1 GRANTED t:1-2",
            "C2 GRANTED t:4-5",
            "C3 GRANTED t:3,6",
            "C3 ASSIGNED t:3,6");
    assertThat(group.shares())
        .isEqualTo(Map.of("C1", share(1, 2), "C2", share(4, 5), "C3", share(3, 6)));
    assertThat(group.check().violations()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cooperative-sticky", "uniform", "weighted"})
  void membersThatComeAndGoMakeNobodyStopWhatItKeeps(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 0, 12);
    group.join("a");
    group.run(LONG);
    for (String name : new String[] {"b", "c", "d"}) {
      Map<String, Assignment> then = group.shares();
      int before = group.ledger.size();
      group.join(name);
      group.run(LONG);
      kept(group, then, before);
    }
    Map<String, Assignment> four = group.shares();
    int before = group.ledger.size();

    group.crash("a");
    group.run(LONG);

    kept(group, four, before);
    assertThat(group.shares().values()).allSatisfy(share -> assertThat(share.size()).isEqualTo(4));
    assertThat(group.check().violations()).isEmpty();
  }

  /** The round waits for the session of the dead, 18 s, and leases are of 9 s. */
  @ParameterizedTest
  @ValueSource(strings = {"cooperative-sticky", "uniform"})
  void aRoundThatWaitsForADeadMemberLongerThanALeaseMakesNobodyStop(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 0, 12);
    group.joinWithSession("a", Duration.ofSeconds(18));
    group.join("b");
    group.join("c");
    group.run(LONG);
    Map<String, Assignment> three = group.shares();
    int before = group.ledger.size();

    group.crash("a");
    group.join("d");
    group.run(LONG.plus(LONG));

    kept(group, three, before);
    assertThat(group.ledger.subList(before + 1, group.ledger.size()))
        .noneMatch(entry -> entry.kind() == Kind.LOST);
    assertThat(group.sizes()).containsExactly(4, 4, 4);
    assertThat(group.check().violations()).isEmpty();
  }

  /** No word of what somebody had then and has now. */
  private static void kept(SimulatedGroup group, Map<String, Assignment> then, int from) {
    Map<String, Assignment> now = group.shares();
    assertThat(group.ledger.subList(from, group.ledger.size()))
        .filteredOn(entry -> entry.kind() != Kind.GRANTED && now.containsKey(entry.member()))
        .allSatisfy(
            entry -> {
              Assignment had = then.getOrDefault(entry.member(), Assignment.empty());
              Assignment kept = had.and(now.get(entry.member()));
              assertThat(entry.partitions().and(kept)).as("%s", entry).isEqualTo(share());
            });
  }
}
