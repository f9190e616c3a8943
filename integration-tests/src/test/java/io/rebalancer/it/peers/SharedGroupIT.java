package io.rebalancer.it.peers;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.zk.Profile;
import io.rebalancer.zk.ZkEngineConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Kafka's original consumers and ours in one group: neither can tell the other apart. */
class SharedGroupIT {

  private static final Duration SESSION = Duration.ofSeconds(4);
  private static EmbeddedZooKeeper zooKeeper;
  private static StubBrokers brokers;

  @BeforeAll
  static void start() {
    zooKeeper = EmbeddedZooKeeper.start();
    brokers = new StubBrokers(2);
  }

  @AfterAll
  static void stop() {
    brokers.close();
    zooKeeper.close();
  }

  private static ZkEngineConfig ours(String connect, Profile profile) {
    return ZkEngineConfig.defaults(connect)
        .withProfile(profile)
        .withSessionTimeout(SESSION)
        .withRebalance(RealConsumers.RETRIES, RealConsumers.BACKOFF);
  }

  private static RealConsumers real(PeerRelease release, String connect, String strategy) {
    return RealConsumers.start(release, RealConsumers.config(connect, strategy, SESSION));
  }

  @Test
  void rangeWithOneStreamEachIsSharedWithKafka111() throws Exception {
    shared("range-1", PeerRelease.V1_1_1, Profile.V1_1, new RangeAssignor(), 1);
  }

  @Test
  void rangeWithTwoStreamsEachIsSharedWithKafka0822() throws Exception {
    shared("range-2-08", PeerRelease.V0_8_2_2, Profile.V1_1, new RangeAssignor(), 2);
  }

  @Test
  void roundRobinWithTwoStreamsEachIsSharedWithKafka111() throws Exception {
    shared(
        "roundrobin-2",
        PeerRelease.V1_1_1,
        Profile.V1_1,
        new RoundRobinAssignor(RoundRobinAssignor.Release.V1_0),
        2);
  }

  @Test
  void rangeIsSharedByBothReleasesAndOurs() throws Exception {
    Subscription both = Subscription.copyOf(Map.of("t", 1, "u", 2));
    try (PeerStage stage = stage("both-releases", Map.of("t", 16, "u", 16));
        RealConsumers newer = real(PeerRelease.V1_1_1, stage.connect(), "range");
        RealConsumers older = real(PeerRelease.V0_8_2_2, stage.connect(), "range");
        MixedGroup group =
            new MixedGroup(
                stage, new RangeAssignor(), both, ours(stage.connect(), Profile.V1_1))) {
      group.join("c1", newer).join("c2").join("c3", older).join("c4").settle("1.1, 0.8, 2 ours");
      group.leave("c3").join("c0", older).settle("0.8 has moved to the front");
      group.leave("c1").leave("c2").settle("0.8 and one of ours are left");
      group.demandValidLedger();
    }
  }

  private static PeerStage stage(String name, Map<String, Integer> topics) {
    return new PeerStage(zooKeeper.connectString(), name, brokers.ports(), topics);
  }

  private void shared(
      String name, PeerRelease release, Profile profile, PartitionAssignor assignor, int streams)
      throws Exception {
    Subscription both = Subscription.copyOf(Map.of("t", streams, "u", streams));
    try (PeerStage stage = stage(name, Map.of("t", 16, "u", 16));
        RealConsumers first = real(release, stage.connect(), assignor.name());
        RealConsumers others = real(release, stage.connect(), assignor.name());
        MixedGroup group = new MixedGroup(stage, assignor, both, ours(stage.connect(), profile))) {
      group.join("c1", first).join("c2").join("c3", others).join("c4").settle("2 real, 2 ours");
      group.leave("c4").settle("one of ours has left");
      group.leave("c3").settle("a real one has left");
      group.join("c10", others).join("c0").settle("one of each has joined");
      group.kill("c1").kill("c2").settle("one of each was killed");
      group.demandValidLedger();
    }
  }
}
