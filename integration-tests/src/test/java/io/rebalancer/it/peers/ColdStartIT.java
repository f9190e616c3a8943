package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.zk.Profile;
import io.rebalancer.zk.ZkEngineConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Ten members start 100 ms apart. How many notifications there are is certain; how many attempts,
 * and how many of them fail, depends on how fast a rebalance is, with the originals as with ours.
 */
@Tag("real")
class ColdStartIT {

  private static final Duration SESSION = Duration.ofSeconds(60);
  private static final int STARTS = 3;
  private static final int PARTITIONS = 64;
  private static final Map<String, Integer> STREAMS = Map.of("t", 1);
  private static final List<String> NAMES = IntStream.range(0, 10).mapToObj(i -> "c" + i).toList();

  @Test
  void tenOfOursAreToldAsOftenAsTenOfKafka111AndNeverTryWithoutACause() {
    List<Counts> real = new ArrayList<>();
    List<Counts> ours = new ArrayList<>();
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        StubBrokers brokers = new StubBrokers(3)) {
      for (int i = 0; i < STARTS; i++) {
        try (PeerStage stage = stage(zooKeeper, "real-" + i, brokers);
            CountedGroup group =
                new CountedRealGroup(
                    RealConsumers.start(
                        PeerRelease.V1_1_1,
                        RealConsumers.config(stage.connect(), "range", SESSION)),
                    STREAMS)) {
          real.add(start(stage, group));
        }
        try (PeerStage stage = stage(zooKeeper, "ours-" + i, brokers);
            CountedGroup group = new CountedZkGroup(ours(stage), STREAMS)) {
          ours.add(start(stage, group));
        }
      }
    }

    assertThat(real).allSatisfy(ColdStartIT::demandCauses);
    assertThat(ours).allSatisfy(ColdStartIT::demandCauses);
  }

  /**
   * Every start tells those before it. An attempt has one of three causes: the member's own start,
   * a notification, a failure before it; notifications fold together while an attempt runs.
   */
  private static void demandCauses(Counts counts) {
    int members = NAMES.size();
    assertThat(counts.membershipEvents()).isEqualTo(members * (members - 1) / 2);
    assertThat(counts.topicEvents() + counts.otherEvents()).isZero();
    assertThat((long) counts.attempts().all())
        .isBetween(members + 1L, members + counts.membershipEvents() + counts.attempts().failed());
    assertThat(counts.claimed() - counts.released()).isEqualTo(PARTITIONS);
  }

  private static PeerStage stage(EmbeddedZooKeeper zooKeeper, String name, StubBrokers brokers) {
    return new PeerStage(zooKeeper.connectString(), name, brokers.ports(), Map.of("t", PARTITIONS));
  }

  private static ZkEngineConfig ours(PeerStage stage) {
    return ZkEngineConfig.defaults(stage.connect())
        .withProfile(Profile.V1_1)
        .withSessionTimeout(SESSION)
        .withRebalance(RealConsumers.RETRIES, RealConsumers.BACKOFF);
  }

  private static Counts start(PeerStage stage, CountedGroup group) {
    CountedRun run = new CountedRun(stage, group);
    // Loads the classes; else the first joins would all wait for that and then happen at once.
    group.join("warm");
    group.leave("warm");
    run.awaitQuiet();
    return run.count(0, () -> group.coldStart(NAMES));
  }
}
