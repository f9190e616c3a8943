package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.runtime.ServedStage.t;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.runtime.ServedStage.Peer;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failure cases of server-assigned groups; B052 and B054 are in ServerAssignedGroupTest. */
class ServedCasesTest {

  private enum Situation {
    STABLE,
    MUST_LET_GO,
    WAITS_FOR_ANOTHER
  }

  /** m1 is not heard of for longer than its session, and lets go for three seconds when it is. */
  @ParameterizedTest
  @EnumSource(Situation.class)
  void b050WhoWasRemovedJoinsAgainAndHasAConsistentShareWhateverTheStateOfTheGroup(
      Situation situation) {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topics.put("t", PartitionSet.range(0, 6));
    stage.restored(
        new TreeMap<>(
            switch (situation) {
              case STABLE -> Map.of("m1", t(0, 1, 2), "m2", t(3, 4, 5));
              case MUST_LET_GO -> Map.of("m1", t(0, 1, 2, 3, 4, 5));
              case WAITS_FOR_ANOTHER -> Map.of("m2", t(0, 1, 2, 3, 4, 5));
            }));
    Peer m1 =
        situation == Situation.WAITS_FOR_ANOTHER ? stage.peer("m1", true) : stage.peers.get("m1");
    Peer m2 = situation == Situation.MUST_LET_GO ? stage.peer("m2", true) : stage.peers.get("m2");
    m1.isStubborn = situation == Situation.MUST_LET_GO;
    m2.isStubborn = situation == Situation.WAITS_FOR_ANOTHER;
    switch (situation) {
      case STABLE -> {}
      case MUST_LET_GO -> m2.join();
      case WAITS_FOR_ANOTHER -> m1.join();
    }
    stage.run(2_000);
    assertThat(stage.phases().stream().reduce((a, b) -> b))
        .isEqualTo(
            situation == Situation.STABLE ? Optional.empty() : Optional.of("Reconciling ASSIGNED"));

    m1.isDead = true;
    stage.run(ServedStage.SESSION_MS + 1_000);
    assertThat(m1.commit(m1.generation)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    stage.run(3_000);
    m1.isStubborn = false;
    m2.isStubborn = false;
    m1.comeBack();
    stage.run(2_000);

    assertThat(m1.last).isEqualTo(GroupError.NONE);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(3, 3);
    assertThat(m1.owned.plus(m2.owned)).isEqualTo(t(0, 1, 2, 3, 4, 5));
    assertThat(stage.phases()).last().isEqualTo("Stable RECONCILED");
  }

  @Test
  void b059TheShareOfAMemberThatWasKilledIsOwnedWhenSessionAndDelayAreOver() {
    ServedStage stage = new ServedStage("uniform", 5_000);
    stage.topics.put("t", PartitionSet.range(0, 9));
    stage.restored(new TreeMap<>(Map.of("c1", t(0, 1, 2), "c2", t(3, 4, 5), "c3", t(6, 7, 8))));
    stage.peers.get("c3").die();
    stage.run(ServedStage.SESSION_MS + 5_000 + 2_000);

    assertThat(stage.peers.get("c1").owned.plus(stage.peers.get("c2").owned).size()).isEqualTo(9);
    HardState view = stage.saved.get(stage.saved.size() - 1);
    assertThat(view.members().keySet())
        .extracting(Object::toString)
        .containsExactly("c1-0", "c2-0");
    stage.run(3_000);
    Peer restarted = stage.peer("c4", true).join();
    stage.run(2_000);

    assertThat(List.of(stage.peers.get("c1"), stage.peers.get("c2"), restarted))
        .extracting(peer -> peer.owned.size())
        .containsExactly(3, 3, 3);
    assertThat(stage.saved.get(stage.saved.size() - 1).members()).hasSize(3);
  }

  private static ServedStage fiveOfThree(boolean stubborn, int delayMs) {
    ServedStage stage = new ServedStage("uniform", delayMs);
    stage.topic("t", 15);
    for (String name : List.of("c1", "c2", "c3", "c4", "c5")) {
      stage.peer(name, true).join();
    }
    stage.run(7_000);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsOnly(3);
    stage.peers.values().forEach(peer -> peer.isStubborn = stubborn);
    stage.failOver(3);
    return stage;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 30_000})
  void b044OfAnOverFullGroupAllJoinAgainAndTheLastToDoSoAreOut(int delayMs) {
    ServedStage stage = fiveOfThree(false, delayMs);
    stage.run(7_000);

    assertThat(stage.peers.values())
        .extracting(peer -> peer.last)
        .containsExactly(
            GroupError.NONE,
            GroupError.NONE,
            GroupError.NONE,
            GroupError.GROUP_MAX_SIZE_REACHED,
            GroupError.GROUP_MAX_SIZE_REACHED);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(5, 5, 5, 0, 0);
    assertThat(stage.saved.get(stage.saved.size() - 1).members()).hasSize(3);
    int calls = stage.peers.get("c1").calls.size();
    Peer newcomer = stage.peer("c6", true).join();
    stage.run(ServedStage.REBALANCE_MS + 5_000);

    assertThat(newcomer.last).isEqualTo(GroupError.GROUP_MAX_SIZE_REACHED);
    assertThat(stage.peers.get("c1").calls).as("nothing is left over").hasSize(calls);
    assertThat(stage.saved.get(stage.saved.size() - 1).members()).hasSize(3);
  }

  @Test
  void b044WhoDoesNotJoinAgainIsOutAsFarAsNeedBeWhenTheRebalanceTimeoutIsOver() {
    ServedStage stage = fiveOfThree(true, 30_000);
    stage.peers.get("c5").isStubborn = false;
    stage.run(ServedStage.REBALANCE_MS - 1_000);
    assertThat(stage.saved.get(stage.saved.size() - 1).members()).hasSize(5);

    stage.peers.values().forEach(peer -> peer.isStubborn = false);
    stage.peers.get("c3").die();
    stage.peers.get("c4").die();
    stage.run(8_000);

    assertThat(stage.saved.get(stage.saved.size() - 1).members()).hasSize(3);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(5, 5, 0, 0, 5);
  }

  /** Each write fails, each Join is told so, and no other generation is made. */
  @Test
  void b056WhatIsTooLargeToStoreIsNoNewGenerationEachTime() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 4);
    Peer only = stage.peer("c1", true).join();
    stage.failStore(true);
    stage.run(4_000);
    for (int attempt = 0; attempt < 20; attempt++) {
      only.join();
      stage.run(1_000);
    }

    assertThat(only.owned).isEqualTo(Assignment.empty());
    assertThat(stage.phases()).filteredOn(phase -> phase.startsWith("Assigning")).hasSize(2);
  }
}
