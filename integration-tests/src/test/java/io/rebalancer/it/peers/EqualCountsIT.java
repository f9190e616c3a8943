package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.zk.ZkEngineConfig;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a change costs a group of original consumers, it costs a group of ours: run one after the
 * other on the same kind of server and counted by it. Only reads differ, by exactly the leader
 * finder's, which ours have not: after each attempt that saw brokers it lists them and reads each.
 */
class EqualCountsIT {

  private static final Duration SESSION = Duration.ofSeconds(60);
  private static final int BROKERS = 3;
  private static final int PARTITIONS = 64;
  private static final int MORE = 72;
  private static final Map<String, Integer> STREAMS = Map.of(CountedChanges.TOPIC, 1);

  @Test
  void tenMembersCostWhatTenMembersOfKafka111Cost() {
    equalCosts(PeerRelease.V1_1_1, 10);
  }

  @Test
  @Tag("real")
  void tenMembersCostWhatTenMembersOfKafka0822Cost() {
    equalCosts(PeerRelease.V0_8_2_2, 10);
  }

  @Test
  @Tag("real")
  void fiftyMembersCostWhatFiftyMembersOfKafka111Cost() {
    equalCosts(PeerRelease.V1_1_1, 50);
  }

  private static void equalCosts(PeerRelease release, int members) {
    CountedChanges changes = new CountedChanges(release, members, BROKERS, PARTITIONS, MORE);
    Map<String, Counts> real = costs(changes, release, true);
    Map<String, Counts> ours = costs(changes, release, false);

    Map<String, Counts> realWithoutLeaderFinder = new LinkedHashMap<>();
    real.forEach(
        (change, counts) ->
            realWithoutLeaderFinder.put(
                change, counts.withoutReads(changes.leaderFinderReads(change))));
    assertThat(ours).isEqualTo(realWithoutLeaderFinder);
    assertThat(ours).containsOnlyKeys(changes.names());
  }

  private static Map<String, Counts> costs(
      CountedChanges changes, PeerRelease release, boolean real) {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        StubBrokers brokers = new StubBrokers(BROKERS);
        PeerStage stage =
            new PeerStage(
                zooKeeper.connectString(),
                "count",
                brokers.ports(),
                Map.of(CountedChanges.TOPIC, PARTITIONS));
        CountedGroup group = real ? real(stage, release) : ours(stage, release)) {
      return changes.count(new CountedRun(stage, group), real);
    }
  }

  private static CountedGroup ours(PeerStage stage, PeerRelease release) {
    return new CountedZkGroup(
        ZkEngineConfig.defaults(stage.connect())
            .withProfile(release.profile())
            .withSessionTimeout(SESSION)
            .withRebalance(RealConsumers.RETRIES, RealConsumers.BACKOFF),
        STREAMS);
  }

  private static CountedGroup real(PeerStage stage, PeerRelease release) {
    Map<String, String> config =
        new TreeMap<>(RealConsumers.config(stage.connect(), "range", SESSION));
    // A leader finder that has waited that long for an answer reads the brokers again.
    config.put("socket.timeout.ms", "600000");
    return new CountedRealGroup(RealConsumers.start(release, config), STREAMS);
  }
}
