package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.runtime.ServedStage.t;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.runtime.ServedStage.Peer;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Groups in which the coordinator assigns. */
class ServerAssignedGroupTest {

  private static final Map<String, Assignment> THREE =
      new TreeMap<>(Map.of("c1", t(1, 2), "c2", t(4, 5), "c3", t(3, 6)));

  private static ServedStage three(int delayMs) {
    ServedStage stage = new ServedStage("uniform", delayMs);
    stage.topics.put("t", PartitionSet.range(1, 6));
    return stage.restored(THREE);
  }

  @Test
  void e20_whoJoinsWithinTheWindowSharesOneAssignment() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 6);
    List<Peer> peers =
        List.of(
            stage.peer("c1", true).join(),
            stage.peer("c2", false).join(),
            stage.peer("c3", true).join());

    assertThat(peers).extracting(peer -> peer.owned).containsOnly(Assignment.empty());
    stage.run(7_000);

    assertThat(peers).extracting(peer -> peer.owned.size()).containsExactly(2, 2, 2);
    assertThat(peers).extracting(peer -> peer.calls).allMatch(calls -> calls.size() == 1);
    assertThat(stage.phases())
        .containsExactly(
            "Assigning MEMBER_JOIN", "Assigning INITIAL_DELAY_OVER", "Stable RECONCILED");
  }

  @Test
  void theMapOfMembersAndPartitionsIsStoredBeforeAnybodyIsTold() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 4);
    Peer only = stage.peer("c1", true).join();
    stage.failStore(true);
    stage.run(4_000);

    assertThat(only.owned).isEqualTo(Assignment.empty());
    assertThat(only.last).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);

    stage.failStore(false);
    only.join();
    HardState stored = stage.saved.get(stage.saved.size() - 1);
    assertThat(only.owned).isEqualTo(t(0, 1, 2, 3));
    assertThat(stored.shares().of().values())
        .containsExactly(new Share(2, only.owned, only.owned, only.owned));
  }

  @Test
  void e50_onlyWhoseShareChangesIsToldAndAFreedPartitionWaitsForItsOwner() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topics.put("t", PartitionSet.range(1, 6));
    stage.restored(new TreeMap<>(Map.of("c1", t(1, 2, 3), "c2", t(4, 5, 6))));
    Peer slow = stage.peers.get("c2");
    slow.isStubborn = true;

    Peer third = stage.peer("c3", true).join();
    stage.run(3_000);

    assertThat(third.owned.size()).isEqualTo(1);
    assertThat(stage.phases()).last().isEqualTo("Reconciling ASSIGNED");
    slow.isStubborn = false;
    stage.run(3_000);

    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(2, 2, 2);
    assertThat(stage.peers.get("c1").calls).hasSize(1);
    assertThat(slow.calls).hasSize(1);
    assertThat(third.calls).hasSize(2);
    assertThat(stage.phases()).last().isEqualTo("Stable RECONCILED");
  }

  @Test
  void aJoinThatMovesNothingOfAMemberIsNoNewsToIt() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topics.put("t", PartitionSet.range(1, 6));
    stage.restored(new TreeMap<>(Map.of("c1", t(1, 2, 3, 4, 5), "c2", t(6))));

    stage.peer("c3", true).join();
    stage.run(5_000);

    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(2, 2, 2);
    Peer second = stage.peers.get("c2");
    assertThat(second.calls).allMatch(call -> call.startsWith("assigned"));
    assertThat(second.commit(second.generation)).isEqualTo(GroupError.NONE);
    assertThat(second.commit(second.generation - 1)).isEqualTo(GroupError.ILLEGAL_GENERATION);
  }

  @Test
  void anEagerMemberIsGivenBackWhatItKeepsInTheSameAnswer() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 4);
    Peer eager = stage.peer("c1", false).join();
    stage.run(4_000);
    stage.peer("c2", true).join();
    stage.run(3_000);

    assertThat(eager.calls)
        .containsExactly(
            "assigned " + t(0, 1, 2, 3), "revoked " + t(0, 1, 2, 3), "assigned " + eager.owned);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(2, 2);
  }

  @Test
  void whoDoesNotLetGoInTimeIsRemovedAndItsPartitionsGoToWhoWaits() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 6);
    stage.restored(Map.of("c1", t(0, 1, 2, 3, 4, 5)));
    Peer stubborn = stage.peers.get("c1");
    stubborn.isStubborn = true;
    Peer patient = stage.peer("c2", true).join();
    stage.run(ServedStage.REBALANCE_MS - 1_000);
    assertThat(patient.owned).isEqualTo(Assignment.empty());
    assertThat(stubborn.commit(7)).isEqualTo(GroupError.NONE);

    stage.run(4_000);

    assertThat(stubborn.calls).startsWith("lost " + t(0, 1, 2, 3, 4, 5));
    assertThat(stage.phases()).contains("Assigning REVOCATION_TIMEOUT");
    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(3, 3);
  }

  @Test
  void e51_whoComesBackWithinTheDelayGetsItsPartitionsAtItsEndAndNobodyElseStops() {
    ServedStage stage = three(30_000);
    stage.peers.get("c2").die();
    stage.run(ServedStage.SESSION_MS + 1_000);

    assertThat(stage.owners()).isEqualTo(Map.of("c1", t(1, 2), "c2", t(), "c3", t(3, 6)));
    assertThat(stage.phases()).containsExactly("Assigning MEMBER_EXPIRED");

    assertThat(stage.peers.get("c1").delayMs).isEqualTo(29_000);

    stage.peers.get("c2").comeBack();
    stage.run(5_000);
    assertThat(stage.owners()).isEqualTo(Map.of("c1", t(1, 2), "c2", t(), "c3", t(3, 6)));
    assertThat(stage.peers.values()).extracting(peer -> peer.delayMs).containsOnly(24_000);
    assertThat(stage.describedProtocol()).isEqualTo("uniform (delay 24000 ms)");

    stage.run(27_000);
    assertThat(stage.owners()).isEqualTo(THREE);
    assertThat(stage.describedProtocol()).isEqualTo("uniform");
    assertThat(stage.peers.get("c1").delayMs).isZero();
    assertThat(stage.peers.get("c1").calls).isEmpty();
    assertThat(stage.peers.get("c3").calls).isEmpty();
    assertThat(stage.phases())
        .endsWith("Assigning DELAY_OVER", "Reconciling ASSIGNED", "Stable RECONCILED");
  }

  @Test
  void e52_whoStaysAwayLongerIsReplacedByThoseWhoAreThere() {
    ServedStage stage = three(30_000);
    stage.peers.get("c2").die();
    stage.run(ServedStage.SESSION_MS + 29_000);
    assertThat(stage.owners()).isEqualTo(Map.of("c1", t(1, 2), "c2", t(), "c3", t(3, 6)));

    stage.run(4_000);
    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(3, 0, 3);
    assertThat(stage.peers.get("c1").calls).hasSize(1).allMatch(c -> c.startsWith("assigned"));
    assertThat(stage.peers.get("c3").calls).hasSize(1).allMatch(c -> c.startsWith("assigned"));
  }

  @Test
  void b052_aDelayOfZeroGivesTheLostPartitionsAwayAtOnce() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topics.put("t", PartitionSet.range(0, 9));
    stage.restored(new TreeMap<>(Map.of("c1", t(0, 1, 2), "c2", t(3, 4, 5), "c3", t(6, 7, 8))));
    stage.peers.get("c3").die();
    stage.run(ServedStage.SESSION_MS + 2_000);

    assertThat(stage.owners().values())
        .extracting(Assignment::size)
        .containsExactlyInAnyOrder(5, 4, 0);
    assertThat(stage.phases()).filteredOn(p -> p.startsWith("Assigning")).hasSize(1);
  }

  @Test
  void b054_replacementsShareWhatWasLost() {
    ServedStage stage = new ServedStage("uniform", 10_000);
    stage.topics.put("t", PartitionSet.range(0, 16));
    stage.restored(
        new TreeMap<>(
            Map.of(
                "c1", t(0, 1, 2, 3),
                "c2", t(4, 5, 6, 7),
                "c3", t(8, 9, 10, 11),
                "c4", t(12, 13, 14, 15))));
    stage.peers.get("c3").die();
    stage.peers.get("c4").die();
    stage.run(ServedStage.SESSION_MS + 3_000);
    stage.peer("c5", true).join();
    stage.run(1_000);
    stage.peer("c6", true).join();
    stage.run(5_000);
    assertThat(stage.peers.get("c5").owned).isEqualTo(Assignment.empty());
    stage.run(5_000);

    assertThat(stage.owners().values())
        .extracting(Assignment::size)
        .containsExactly(4, 4, 0, 0, 4, 4);
    assertThat(stage.phases())
        .as("one generation after the delay")
        .endsWith("Assigning DELAY_OVER", "Reconciling ASSIGNED", "Stable RECONCILED");
    assertThat(stage.peers.get("c1").calls).isEmpty();
    assertThat(stage.peers.get("c2").calls).isEmpty();
  }

  @Test
  void b054_whoHasEverythingGivesToSeveralWithoutAnotherEvent() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topics.put("t", PartitionSet.range(0, 12));
    stage.restored(Map.of("c1", t(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)));
    stage.peer("c2", true).join();
    stage.peer("c3", true).join();
    stage.run(5_000);

    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(4, 4, 4);
  }

  @Test
  void newPartitionsAreGivenAwayDuringADelayAndLostOnesAreNot() {
    ServedStage stage = three(30_000);
    stage.peers.get("c2").die();
    stage.run(ServedStage.SESSION_MS + 1_000);
    stage.topics.put("t", PartitionSet.range(1, 8));
    stage.topic("u", 1);
    assertThat(stage.phases()).hasSize(1);

    stage.topic("t", 9);
    stage.run(2_000);

    Assignment all = stage.peers.get("c1").owned.plus(stage.peers.get("c3").owned);
    assertThat(all).isEqualTo(t(0, 1, 2, 3, 6, 7, 8));
  }

  @Test
  void e34_aTopicsPartitionsComeAndGoWithOneRebalanceEach() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 2);
    Peer one = stage.peer("c1", true).join();
    stage.run(4_000);
    int before = stage.phases().size();

    stage.topic("t", 4);
    stage.run(2_000);
    assertThat(one.owned).isEqualTo(t(0, 1, 2, 3));
    assertThat(stage.phases().subList(before, stage.phases().size()))
        .containsExactly("Assigning TOPIC_CHANGE", "Reconciling ASSIGNED", "Stable RECONCILED");

    stage.topic("other", 4);
    assertThat(stage.phases()).hasSize(before + 3);
    one.wants = Set.of("t", "other");
    one.join();
    stage.run(2_000);
    assertThat(one.owned.size()).isEqualTo(8);
    assertThat(stage.phases()).contains("Assigning SUBSCRIPTION_CHANGE");
  }

  @Test
  void e40_aStaticMembersNewProcessGetsWhatItsMemberHadAndNobodyElseIsTold() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 4);
    Peer fixed = stage.peer("c1", true);
    fixed.instance = "i1";
    fixed.join();
    Peer other = stage.peer("c2", true).join();
    stage.run(7_000);
    Assignment had = fixed.owned;
    int calls = other.calls.size();
    String former = fixed.id;

    fixed.die();
    fixed.comeBack();
    stage.run(2_000);

    assertThat(fixed.owned).isEqualTo(had);
    assertThat(fixed.id).isNotEqualTo(former);
    assertThat(other.calls).hasSize(calls);
    fixed.id = former;
    fixed.beat();
    assertThat(fixed.last).isEqualTo(GroupError.FENCED_INSTANCE_ID);
  }

  @Test
  void whoLeavesIsReplacedAtOnceWhateverTheDelay() {
    ServedStage stage = three(30_000);
    stage.peers.get("c2").leave();
    stage.run(2_000);

    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(3, 0, 3);
  }

  @Test
  void theLastOneLeavesAnEmptyGroupBehind() {
    ServedStage stage = three(30_000);
    List.copyOf(stage.peers.values()).forEach(Peer::leave);

    assertThat(stage.phases()).last().isEqualTo("Empty MEMBER_LEAVE");
    assertThat(stage.saved.get(stage.saved.size() - 1).shares()).isNull();
    Peer next = stage.peer("c9", true).join();
    stage.run(4_000);
    assertThat(next.owned).isEqualTo(t(1, 2, 3, 4, 5, 6));
  }

  @Test
  void anAssignorThatFailsIsToldToWhoJoinsAndHarmsNobodyElse() {
    ServedStage stage = new ServedStage("no such", 0);
    stage.topics.put("t", PartitionSet.range(1, 6));
    stage.restored(THREE);
    Peer newcomer = stage.peer("c4", true).join();
    stage.run(20_000);

    assertThat(newcomer.last).isEqualTo(GroupError.UNKNOWN_SERVER_ERROR);
    assertThat(newcomer.commit(-1)).isEqualTo(GroupError.UNKNOWN_MEMBER_ID);
    newcomer.isDead = true;
    assertThat(stage.owners()).containsAllEntriesOf(THREE);
  }

  @Test
  void whatIsGivenAndTakenIsCountedOnce() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 4);
    stage.peer("c1", true).join();
    stage.run(4_000);
    assertThat(stage.counts).isEqualTo("4 assigned, 0 revoked, {Stable=1}");

    stage.peer("c2", true).join();
    stage.run(3_000);
    assertThat(stage.counts).isEqualTo("6 assigned, 2 revoked, {Stable=1}");

    stage.peers.get("c2").leave();
    stage.run(3_000);
    assertThat(stage.counts).isEqualTo("8 assigned, 4 revoked, {Stable=1}");
  }

  @Test
  void e22_anotherCoordinatorGoesOnWhereTheFirstStoppedAndNobodyIsToldOfIt() {
    ServedStage stage = new ServedStage("uniform", 30_000);
    stage.topic("t", 6);
    stage.peer("c1", true).join();
    stage.peer("c2", true).join();
    stage.peer("c3", false).join();
    stage.run(7_000);
    Map<String, Assignment> before = stage.owners();

    stage.failOver();
    stage.run(5_000);
    assertThat(stage.owners()).isEqualTo(before);
    assertThat(stage.peers.values()).extracting(peer -> peer.calls.size()).containsOnly(1);

    stage.peers.get("c2").die();
    stage.run(ServedStage.SESSION_MS + 1_000);
    stage.failOver();
    assertThat(stage.describedProtocol()).isEqualTo("uniform (delay 30000 ms)");
    stage.peers.get("c2").comeBack();
    stage.run(32_000);
    assertThat(stage.owners()).isEqualTo(before);
  }

  @Test
  void topicsThatChangedWhileNobodyCoordinatedAreFoundAtTheTakeover() {
    ServedStage stage = three(0);
    stage.peer("c4", true).join();
    stage.run(3_000);
    stage.topics.put("t", PartitionSet.range(1, 8));

    stage.failOver();
    stage.run(3_000);

    assertThat(stage.owners().values()).extracting(Assignment::size).containsOnly(2);
  }

  @Test
  void aWriteThatFailedIsTriedAgainThoughNobodyWaitsForIt() {
    ServedStage stage = three(0);
    stage.failStore(true);
    stage.peers.get("c2").die();
    stage.run(ServedStage.SESSION_MS + 500);
    assertThat(stage.saved).isEmpty();

    stage.failStore(false);
    stage.run(1_500);

    assertThat(stage.saved.get(stage.saved.size() - 1).members()).hasSize(2);
    int written = stage.saved.size();
    stage.run(5_000);
    assertThat(stage.saved).hasSize(written);
  }

  @Test
  void aJoinThatWasLongUnderWayFreesNothingThatItsSenderWasGivenSince() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 4);
    Peer first = stage.peer("c1", true).join();
    stage.run(4_000);
    int longAgo = first.generation;
    stage.topic("t", 6);
    stage.run(2_000);
    assertThat(first.owned).isEqualTo(t(0, 1, 2, 3, 4, 5));

    first.isStubborn = true;
    Peer second = stage.peer("c2", true).join();
    first.lateJoin(Assignment.empty(), longAgo);
    second.beat();
    stage.run(100);
    assertThat(second.owned).isEqualTo(Assignment.empty());
    first.isStubborn = false;
    stage.run(ServedStage.SESSION_MS + 5_000); // It begins anew, and its former self goes.

    assertThat(stage.owners().values()).extracting(Assignment::size).containsExactly(3, 3);
  }

  @Test
  void aJoinThatWasLongUnderWayIsAnsweredAsTheOneBeforeAndGivesNothing() {
    ServedStage stage = new ServedStage("uniform", 0);
    stage.topic("t", 2);
    Peer first = stage.peer("c1", true).join();
    stage.run(4_000);
    int longAgo = first.generation;
    stage.topic("t", 4);
    stage.run(2_000);
    stage.topics.put("t", PartitionSet.range(0, 6));

    stage.topic("t", 6);
    first.lateJoin(Assignment.empty(), longAgo);
    stage.run(3_000);

    assertThat(first.owned).isEqualTo(t(0, 1, 2, 3, 4, 5));
    assertThat(first.calls).noneMatch(call -> call.startsWith("lost"));
  }
}
