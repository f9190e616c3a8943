package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.group.GroupError.FENCED_INSTANCE_ID;
import static io.rebalancer.coordinator.group.GroupError.GROUP_MAX_SIZE_REACHED;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.INVALID_REQUEST;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_SERVER_ERROR;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.runtime.CaseStage.Peer;
import io.rebalancer.core.model.Assignment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The failure cases about groups whose leader assigns (docs/cases.md). */
class CoordinatorCasesTest {

  private final CaseStage stage = new CaseStage(100, 100);

  @Test
  void b036WhoHeartbeatsAndNeverSyncsIsRemovedWhenTheTimeFromTheEndOfTheJoinPhaseIsOver() {
    Peer c1 = stage.peer("c1");
    c1.syncs = false;
    c1.rejoins = false;
    c1.version = 3;
    Peer c2 = stage.peer("c2");
    c2.syncs = false;
    c2.version = 3;
    c1.join();
    c2.join();
    stage.run(200);
    assertThat(stage.phase()).isEqualTo("CompletingRebalance");
    assertThat(stage.group().hard().leader()).isEqualTo(c1.id);

    stage.run(15_000);
    c2.syncs = true;
    c2.sync();
    stage.run(4_900);
    assertThat(stage.members()).as("19.9 s after the join phase").hasSize(2);
    assertThat(c2.told).containsExactly(NONE);

    stage.run(200);

    assertThat(c1.heartbeat()).isEqualTo(UNKNOWN_MEMBER_ID);
    assertThat(c2.told).containsExactly(NONE, REBALANCE_IN_PROGRESS, NONE, NONE);
    assertThat(stage.phase()).isEqualTo("Stable");
    assertThat(stage.members()).containsExactly(c2.id);
    assertThat(c2.owned.size()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({"30000, 3", "1000, 12"})
  void b037IdsThatNobodyComesBackWithAreForgotten(int everyMs, int most) {
    Peer c1 = stage.stable("c1").get(0);
    Peer hasty = stage.peer("c2");
    hasty.rejoins = false;
    hasty.beats = false;
    for (int attempt = 0; attempt < 50; attempt++) {
      hasty.id = "";
      hasty.join();
      assertThat(stage.size()).isLessThanOrEqualTo(most);
      stage.run(everyMs);
    }
    assertThat(stage.members()).containsExactly(c1.id);

    hasty.rejoins = true;
    hasty.beats = true;
    hasty.id = "";
    hasty.join();
    stage.run(20_000);

    assertThat(stage.members()).containsExactly(c1.id, hasty.id);
    assertThat(stage.phase()).isEqualTo("Stable");
    assertThat(stage.generations()).containsExactly(1, 2);
    assertThat(stage.size()).isEqualTo(2);
  }

  @Test
  void b037AJoinThatIsRepeatedWithItsIdIsOneMember() {
    stage.stable("c1");
    Peer c1 = stage.peers.get(0);
    c1.rebalanceMs = 300_000;
    c1.join();
    stage.run(100);
    c1.rejoins = false;
    Peer c2 = stage.peer("c2").join();
    for (int attempt = 0; attempt < 9; attempt++) {
      stage.run(30_000);
      c2.join();
      assertThat(stage.size()).isEqualTo(2);
    }
    assertThat(stage.phase()).isEqualTo("PreparingRebalance");

    c1.rejoins = true;
    stage.run(3_000);

    assertThat(stage.members()).containsExactly(c1.id, c2.id);
    assertThat(stage.generations()).containsExactly(1, 2, 3);
    assertThat(stage.shares()).containsExactly(2, 1);
  }

  @Test
  void b039TheSessionOfAMemberThatWasDroppedBeforeIsOverWithoutAnotherRound() {
    for (String name : List.of("c1", "c2", "c3")) {
      Peer peer = stage.peer(name);
      peer.sessionMs = 30_000;
      peer.join();
    }
    Peer other = stage.peer("d1");
    other.group = "g2";
    other.sessionMs = 35_000;
    other.join();
    stage.run(3_000);
    Peer c3 = stage.peers.get(2);
    c3.heartbeat();
    c3.die();
    other.heartbeat();
    other.die();
    stage.peers.get(0).join();
    stage.run(19_900);
    assertThat(stage.generations()).containsExactly(1);

    stage.run(200);
    assertThat(stage.members()).doesNotContain(c3.id).hasSize(2);
    stage.run(60_000);

    assertThat(stage.generations()).as("exactly one round after the drop").containsExactly(1, 2);
    assertThat(stage.phase()).isEqualTo("Stable");
    assertThat(stage.shares()).containsExactly(2, 1, 0, 0);
    assertThat(stage.moves)
        .as("timers of another group go on")
        .filteredOn(move -> move.group().value().equals("g2"))
        .last()
        .matches(move -> move.to().equals("Empty"));
    assertThat(stage.peers).flatExtracting(peer -> peer.told).doesNotContain(UNKNOWN_SERVER_ERROR);
  }

  @Test
  void b039ANewcomerThatNeverSendsAHeartbeatIsRemovedASessionAfterItsGeneration() {
    stage.stable("c1", "c2", "c3");
    Peer c4 = stage.peer("c4");
    c4.beats = false;
    c4.join();
    stage.run(3_000);
    assertThat(stage.shares()).containsExactly(1, 1, 1, 0);
    assertThat(stage.generations()).hasSize(2);
    long completedMs = stage.moves.get(stage.moves.size() - 1).atNanos() / 1_000_000;
    c4.die();

    stage.run((int) (completedMs + 9_900 - stage.nowMs()));
    assertThat(stage.members()).contains(c4.id);
    stage.run(200);
    assertThat(stage.phase()).isEqualTo("PreparingRebalance");
    assertThat(stage.members()).doesNotContain(c4.id);
    stage.run(5_000);

    assertThat(stage.generations()).hasSize(3);
    assertThat(stage.shares()).containsExactly(1, 1, 1, 0);
    assertThat(stage.phase()).isEqualTo("Stable");
  }

  @Test
  void b044OfAnOverFullGroupTheLastToRejoinAreOut() {
    stage.stable("c1", "c2", "c3", "c4", "c5");
    stage.failOver(3);
    stage.peers.forEach(peer -> peer.rejoins = false);

    for (Peer peer : stage.peers) {
      peer.join();
    }
    stage.run(100);

    assertThat(stage.peers)
        .extracting(Peer::last)
        .containsExactly(NONE, NONE, NONE, GROUP_MAX_SIZE_REACHED, GROUP_MAX_SIZE_REACHED);
    assertThat(stage.members())
        .containsExactlyElementsOf(stage.peers.stream().limit(3).map(peer -> peer.id).toList());
    assertThat(stage.phase()).as("nobody waits for who is out").isEqualTo("Stable");
  }

  @Test
  void b044TheMembersOfAGroupThatIsOverFullWhenItIsReadAreToldToJoin() {
    stage.stable("c1", "c2", "c3", "c4", "c5");
    stage.failOver(3);

    assertThat(stage.phase()).isEqualTo("PreparingRebalance");
    stage.run(10_000);

    assertThat(stage.members()).hasSize(3);
    assertThat(stage.phase()).isEqualTo("Stable");
  }

  @Test
  void b044IdsThatWaitDoNotLetMoreInThanTheLimit() {
    CaseStage small = new CaseStage(100, 3);
    small.stable("c1", "c2");
    for (String name : List.of("n1", "n2", "n3", "n4")) {
      Peer peer = small.peer(name);
      peer.rejoins = false;
      peer.join();
    }
    assertThat(small.size()).isEqualTo(6);
    for (Peer peer : small.peers.subList(2, 6)) {
      peer.rejoins = true;
      peer.join();
      assertThat(small.members()).hasSizeLessThanOrEqualTo(3);
    }
    small.run(5_000);

    assertThat(small.members())
        .containsExactlyElementsOf(small.peers.stream().limit(3).map(peer -> peer.id).toList());
    assertThat(small.peers)
        .extracting(Peer::last)
        .containsExactly(
            NONE,
            NONE,
            NONE,
            GROUP_MAX_SIZE_REACHED,
            GROUP_MAX_SIZE_REACHED,
            GROUP_MAX_SIZE_REACHED);
    assertThat(small.shares()).containsExactly(1, 1, 1, 0, 0, 0);
    assertThat(small.phase()).isEqualTo("Stable");
  }

  @Test
  void b044AStaticMembersRestartTakesNobodysPlaceAndAFourthClientIsRefused() {
    CaseStage small = new CaseStage(100, 3);
    small.peer("c1").join();
    small.peer("c2").join();
    Peer c3 = small.peer("c3");
    c3.instance = "i3";
    c3.join();
    small.run(300);
    assertThat(small.shares()).containsExactly(1, 1, 1);
    String former = c3.id;
    var had = c3.owned;

    c3.owned = Assignment.empty();
    c3.id = "";
    c3.join();
    Peer fourth = small.peer("c4").join();
    small.run(5_000);

    assertThat(c3.last()).isEqualTo(NONE);
    assertThat(c3.id).isNotEqualTo(former);
    assertThat(c3.owned).isEqualTo(had);
    assertThat(fourth.last()).isEqualTo(GROUP_MAX_SIZE_REACHED);
    assertThat(small.generations()).containsExactly(1);
    assertThat(small.members()).hasSize(3);
  }

  @Test
  void b045EachRoundOfANewOrEmptiedGroupIsGatheredIntoOneGeneration() {
    CaseStage gathered = new CaseStage(3_000, 100);
    for (String name : List.of("c1", "c2", "c3")) {
      gathered.peer(name).rebalanceMs = 10_000;
    }
    for (int round = 0; round < 2; round++) {
      long began = gathered.nowMs();
      int before = gathered.generations().size();
      for (Peer peer : gathered.peers) {
        peer.join();
        gathered.run(1_000);
      }
      gathered.run(5_000);

      assertThat(gathered.generations()).as("round " + round).hasSize(before + 1);
      assertThat(gathered.shares()).containsExactly(1, 1, 1);
      assertThat(completedAfterMs(gathered, began)).isBetween(3_000L, 6_500L);
      gathered.peers.forEach(Peer::leave);
      assertThat(gathered.phase()).isEqualTo("Empty");
      gathered.run((int) (60_000 * (round + 1) - gathered.nowMs()));
    }
  }

  private static long completedAfterMs(CaseStage stage, long beganMs) {
    return stage.moves.stream()
            .filter(move -> move.to().equals("CompletingRebalance"))
            .mapToLong(move -> move.atNanos() / 1_000_000)
            .filter(at -> at >= beganMs)
            .findFirst()
            .orElseThrow()
        - beganMs;
  }

  @Test
  void b045TheFirstGenerationWaitsNoLongerThanARebalanceTimeoutForWhoComesLater() {
    CaseStage gathered = new CaseStage(3_000, 100);
    for (int second = 0; second < 20; second++) {
      Peer peer = gathered.peer("c" + (10 + second));
      peer.rebalanceMs = 10_000;
      peer.join();
      gathered.run(1_000);
    }

    assertThat(completedAfterMs(gathered, 0)).isEqualTo(10_000);
  }

  @Test
  void b045ASingleJoinerWaitsTheDelayAndNotMore() {
    CaseStage gathered = new CaseStage(3_000, 100);
    gathered.peer("c1").join();
    gathered.run(5_000);

    assertThat(completedAfterMs(gathered, 0)).isEqualTo(3_000);
  }

  @ParameterizedTest
  @CsvSource({"0, 20000", "1, -1", "9, -1"})
  void b046ARebalanceTimeoutThatIsNotSaidIsTheSessionTimeout(int version, int rebalanceMs) {
    for (String name : List.of("c1", "c2")) {
      Peer peer = stage.peer(name);
      peer.version = version;
      peer.rebalanceMs = rebalanceMs;
    }
    stage.peers.get(0).join();
    stage.run(3_000);
    assertThat(stage.shares()).containsExactly(3, 0);

    stage.peers.get(1).join();
    stage.run(5_000);

    assertThat(stage.shares()).containsExactly(2, 1);
    assertThat(stage.generations()).containsExactly(1, 2);
    assertThat(stage.group().hard().members().values())
        .allMatch(member -> member.rebalanceTimeoutMs() == 10_000);
    stage.run(60_000);
    assertThat(stage.generations()).as("a minute later").containsExactly(1, 2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -2, Integer.MIN_VALUE})
  void b046ARebalanceTimeoutThatIsNoneIsRefusedAndMakesNoMember(int rebalanceMs) {
    Peer c1 = stage.stable("c1").get(0);
    Peer c2 = stage.peer("c2");
    c2.rebalanceMs = rebalanceMs;
    c2.join();
    c1.rebalanceMs = rebalanceMs;
    c1.rejoins = false;
    c1.join();

    assertThat(c2.told).containsExactly(INVALID_REQUEST);
    assertThat(c1.last()).isEqualTo(INVALID_REQUEST);
    assertThat(stage.size()).isEqualTo(1);
    assertThat(stage.phase()).isEqualTo("Stable");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void b048AWallClockThatIsSetBackKeepsNobodyIn(boolean failsOver) {
    stage.stable("c1", "c2");
    Peer c2 = stage.peers.get(1);
    stage.run(3_000 - (int) (stage.nowMs() % 3_000));
    stage.wallIsOff = Duration.ofHours(-1);
    if (failsOver) {
      stage.failOver(100);
    }
    c2.die();

    stage.run(9_900);
    assertThat(stage.members()).contains(c2.id);
    stage.run(200);
    assertThat(stage.members()).doesNotContain(c2.id);
    stage.run(3_000);
    assertThat(stage.shares()).containsExactly(3, 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void b048AWallClockThatIsSetForwardExpiresNobody(boolean failsOver) {
    stage.stable("c1", "c2");
    int moves = stage.moves.size();
    stage.wallIsOff = Duration.ofHours(1);
    if (failsOver) {
      stage.failOver(100);
    }
    stage.run(30_000);

    assertThat(stage.moves).hasSize(moves);
    assertThat(stage.members()).hasSize(2);
  }

  /** Each member goes on asking, as one whose application is told and polls again. */
  @Test
  void b056WhatIsTooLargeToStoreIsNotAssignedAgainUntilMembersChange() {
    stage.stable("c1", "c2");
    stage.store.maxMembers = 2;
    stage.peers.forEach(peer -> peer.insists = true);
    Peer c3 = stage.peer("c3");
    c3.insists = true;
    c3.join();
    stage.run(600_000);

    assertThat(stage.store.refused).isEqualTo(1);
    assertThat(stage.generations()).containsExactly(1, 2);
    assertThat(stage.phase()).isEqualTo("PreparingRebalance");
    assertThat(stage.members()).hasSize(3);
    assertThat(stage.peers).extracting(Peer::last).containsOnly(UNKNOWN_SERVER_ERROR);

    c3.leave();
    c3.die();
    stage.run(6_000);

    assertThat(stage.generations()).containsExactly(1, 2, 3);
    assertThat(stage.phase()).isEqualTo("Stable");
    assertThat(stage.shares()).containsExactly(2, 1, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a topic changed", "a member vanished", "another joined"})
  void b056WhateverChangesIsTriedOnce(String change) {
    stage.stable("c1", "c2");
    stage.store.maxMembers = 2;
    stage.peers.forEach(peer -> peer.insists = true);
    Peer c3 = stage.peer("c3");
    c3.insists = true;
    c3.join();
    stage.run(60_000);
    assertThat(stage.generations()).hasSize(2);

    switch (change) {
      case "a topic changed" -> stage.topicChanged();
      case "a member vanished" -> c3.die();
      default -> stage.peer("c4").insists = true;
    }
    stage.peers.stream().filter(peer -> peer.name.equals("c4")).forEach(Peer::join);
    stage.run(600_000);

    assertThat(stage.generations()).hasSize(3);
    assertThat(stage.store.refused).isEqualTo(change.equals("a member vanished") ? 1 : 2);
  }

  @Test
  void b057AfterARevocationCommitsOfTheFormerGenerationAreRefused() {
    Peer c1 = stage.stable("c1").get(0);
    assertThat(c1.commit(2)).isEqualTo(NONE);
    stage.peer("c2").join();
    stage.run(3_000);
    assertThat(stage.shares()).containsExactly(2, 1);

    c1.generation = 1;
    assertThat(c1.commit(2)).isEqualTo(ILLEGAL_GENERATION);
    c1.generation = 2;
    assertThat(c1.commit(0)).isEqualTo(NONE);
  }

  @Test
  void b057WhoWasEvictedCommitsNothing() {
    stage.stable("c1", "c2");
    Peer c1 = stage.peers.get(0);
    c1.beats = false;
    c1.rejoins = false;
    stage.run(15_000);

    assertThat(stage.shares()).containsExactly(2, 3);
    assertThat(c1.commit(0)).isEqualTo(UNKNOWN_MEMBER_ID);
  }

  /** What a fenced instance is told by whoever took over; see StaticMembershipTest for the rest. */
  @Test
  void b041TheReplacementOfAStaticMemberOutlivesItsCoordinator() {
    Peer c1 = stage.peer("c1");
    c1.instance = "i1";
    c1.join();
    stage.peer("c2").join();
    stage.run(300);
    var had = c1.owned;
    String m1 = c1.id;
    c1.id = "";
    c1.join();
    String m2 = c1.id;
    assertThat(m2).isNotEqualTo(m1);

    stage.failOver(100);

    assertThat(c1.heartbeat()).isEqualTo(NONE);
    c1.id = m1;
    assertThat(c1.heartbeat()).isEqualTo(FENCED_INSTANCE_ID);
    c1.id = m2;
    stage.run(20_000);
    assertThat(c1.owned).isEqualTo(had);
    assertThat(stage.generations()).containsExactly(1);
  }
}
