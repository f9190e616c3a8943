package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.zk.Profile;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Kafka's original consumers and ours in one group: neither can tell the other apart. */
class SharedGroupIT {

  private static final Subscription STREAMS = Subscription.copyOf(Map.of("t", 1, "u", 2));

  private static SharedGroup shared;

  @BeforeAll
  static void start() {
    shared = new SharedGroup();
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  /** Of release, strategy, kind of subscription and number of streams each pair occurs. */
  @TestFactory
  Stream<DynamicTest> twoOfKafkaAndTwoOfOursSettleThroughLeavesJoinsAndKills() {
    return shared.tests(
        Stream.of(
            new Cell(PeerRelease.V1_1_1, "range", false, 1),
            new Cell(PeerRelease.V1_1_1, "roundrobin", true, 2),
            new Cell(PeerRelease.V1_1_1, "roundrobin", false, 3),
            new Cell(PeerRelease.V0_8_2_2, "roundrobin", true, 1),
            new Cell(PeerRelease.V0_8_2_2, "range", false, 2),
            new Cell(PeerRelease.V0_8_2_2, "range", true, 3)));
  }

  @TestFactory
  @Tag("real")
  Stream<DynamicTest> theySettleInEveryCell() {
    return shared.tests(Cell.all());
  }

  @Test
  void oursLeaveTheSameZnodesAsKafka111ByteForByte() {
    demandSameZnodes(PeerRelease.V1_1_1, STREAMS);
  }

  @Test
  void oursLeaveTheSameZnodesAsKafka0822ByteForByte() {
    demandSameZnodes(PeerRelease.V0_8_2_2, STREAMS);
  }

  @Test
  @Tag("real")
  void theirFiltersAreRegisteredAsByKafka0822() {
    demandSameZnodes(
        PeerRelease.V0_8_2_2, new WildcardSubscription(TopicFilter.whiteList("t,u"), 2));
    demandSameZnodes(
        PeerRelease.V0_8_2_2, new WildcardSubscription(TopicFilter.whiteList("[t-v]\\w*"), 2));
    demandSameZnodes(
        PeerRelease.V0_8_2_2, new WildcardSubscription(TopicFilter.blackList("v|w"), 2));
  }

  @Test
  @Tag("real")
  void theirFiltersAreRegisteredAsByKafka111() {
    demandSameZnodes(PeerRelease.V1_1_1, new WildcardSubscription(TopicFilter.whiteList("t,u"), 2));
    demandSameZnodes(PeerRelease.V1_1_1, new WildcardSubscription(TopicFilter.blackList("v|w"), 2));
  }

  private static void demandSameZnodes(PeerRelease release, TopicSelection selection) {
    Map<String, Integer> topics = Map.of("t", 5, "u", 3);
    Subscription subscription =
        selection instanceof WildcardSubscription wildcard
            ? wildcard.among(topics.keySet(), Set.of())
            : (Subscription) selection;
    try (PeerStage theirs = shared.stage("bytes-real", topics);
        PeerStage ourStage = shared.stage("bytes-ours", topics);
        RealConsumers jvm = SharedGroup.real(theirs, release, "range");
        MixedGroup real =
            new MixedGroup(
                theirs,
                new RangeAssignor(),
                selection,
                subscription,
                SharedGroup.ours(theirs, release.profile()));
        MixedGroup ours =
            new MixedGroup(
                ourStage,
                new RangeAssignor(),
                selection,
                subscription,
                SharedGroup.ours(ourStage, release.profile()))) {
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
            new MixedGroup(
                stage, new RangeAssignor(), both, both, SharedGroup.ours(stage, Profile.V1_1))) {
      group.join("c1", newer).join("c2").join("c3", older).join("c4").settle("1.1, 0.8, 2 ours");
      group.leave("c3").join("c0", older).settle("0.8 has moved to the front");
      group.leave("c1").leave("c2").settle("0.8 and one of ours are left");
      group.demandValidLedger();
    }
  }
}
