package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Subscription;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Kafka's original consumers and ours in one group: neither can tell the other apart. */
class SharedGroupIT {

  private static SharedGroup shared;

  @BeforeAll
  static void start() {
    shared = new SharedGroup();
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  @TestFactory
  Stream<DynamicTest> twoOfKafkaAndTwoOfOursSettleThroughLeavesJoinsAndKills() {
    return shared.tests(
        Stream.of(
            new Cell(PeerRelease.V1_1_1, "range", false, 1),
            new Cell(PeerRelease.V1_1_1, "roundrobin", false, 2),
            new Cell(PeerRelease.V0_8_2_2, "range", false, 2)));
  }

  @TestFactory
  @Tag("real")
  Stream<DynamicTest> theySettleInEveryCell() {
    return shared.tests(Cell.all().filter(SharedGroupIT::isPlayedByOurs));
  }

  /** Our engine has no profile for the round robin of 0.8, and reads no filters. */
  private static boolean isPlayedByOurs(Cell cell) {
    return !cell.filter()
        && (cell.release() == PeerRelease.V1_1_1 || cell.strategy().equals("range"));
  }

  @Test
  void oursLeaveTheSameZnodesAsKafka111ByteForByte() {
    Map<String, Integer> topics = Map.of("t", 5, "u", 3);
    Subscription subscription = Subscription.copyOf(Map.of("t", 1, "u", 2));
    try (PeerStage theirs = shared.stage("bytes-real", topics);
        PeerStage ourStage = shared.stage("bytes-ours", topics);
        RealConsumers jvm = SharedGroup.real(theirs, PeerRelease.V1_1_1, "range");
        MixedGroup real =
            new MixedGroup(theirs, new RangeAssignor(), subscription, SharedGroup.ours(theirs));
        MixedGroup ours =
            new MixedGroup(
                ourStage, new RangeAssignor(), subscription, SharedGroup.ours(ourStage))) {
      real.join("c1", jvm).settle("the first");
      real.join("c2", jvm).settle("both");
      ours.join("c1").settle("the first");
      ours.join("c2").settle("both");

      assertThat(theirs.znodes()).hasSize(3 + 2 + 3 + 8);
      assertThat(ourStage.znodes()).isEqualTo(theirs.znodes());
    }
  }

  @Test
  void rangeIsSharedByBothReleasesAndOurs() {
    Subscription both = Subscription.copyOf(Map.of("t", 1, "u", 2));
    try (PeerStage stage = shared.stage("both-releases", Cell.TOPICS);
        RealConsumers newer = SharedGroup.real(stage, PeerRelease.V1_1_1, "range");
        RealConsumers older = SharedGroup.real(stage, PeerRelease.V0_8_2_2, "range");
        MixedGroup group =
            new MixedGroup(stage, new RangeAssignor(), both, SharedGroup.ours(stage))) {
      group.join("c1", newer).join("c2").join("c3", older).join("c4").settle("1.1, 0.8, 2 ours");
      group.leave("c3").join("c0", older).settle("0.8 has moved to the front");
      group.leave("c1").leave("c2").settle("0.8 and one of ours are left");
      group.demandValidLedger();
    }
  }
}
