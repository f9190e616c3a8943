package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor.Release;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Round robin across releases. Up to 0.11 partitions are ordered by the hash codes of {@code
 * [topic,p]}, from 1.0 on by those of {@code topic-p} (KAFKA-5822): of 11 partitions each of two
 * members leaves some to the other, and wants some that the other wants too.
 */
class ReleasesDisagreeIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TRIES = 4;
  private static final Subscription ONE = Subscription.copyOf(Map.of("t", 1));

  private EmbeddedZooKeeper zooKeeper;
  private StubBrokers brokers;
  private PeerStage stage;

  @BeforeEach
  void set() {
    zooKeeper = EmbeddedZooKeeper.start();
    brokers = new StubBrokers(1);
    stage = new PeerStage(zooKeeper.connectString(), "d", brokers.ports(), Map.of("t", 11));
  }

  @AfterEach
  void clear() {
    stage.close();
    brokers.close();
    zooKeeper.close();
  }

  private RealConsumers real(PeerRelease release) {
    Map<String, String> config =
        new TreeMap<>(RealConsumers.config(stage.connect(), "roundrobin", Duration.ofSeconds(6)));
    config.put("rebalance.max.retries", Integer.toString(TRIES));
    return RealConsumers.start(release, config);
  }

  @Test
  void kafka111AndKafka0822NeverAgreeOnElevenPartitions() {
    try (RealConsumers newer = real(PeerRelease.V1_1_1);
        RealConsumers older = real(PeerRelease.V0_8_2_2)) {
      newer.join("c1", ONE).awaitDone("c1");

      older.join("c2", ONE);

      demandDisagreement(() -> newer.hasGivenUp() || older.hasGivenUp());
    }
  }

  @Test
  void oursOfProfile11AndKafka0822DisagreeInTheSameWay() {
    AtomicBoolean gaveUp = new AtomicBoolean();
    try (RealConsumers older = real(PeerRelease.V0_8_2_2);
        ZkRebalanceEngine engine = ours(PeerRelease.V1_1_1, gaveUp)) {
      GroupMember newer = join(engine, "c1");
      await().atMost(PATIENCE).until(() -> newer.assignment().size() == 11);

      older.join("c2", ONE);

      demandDisagreement(() -> gaveUp.get() || older.hasGivenUp());
    }
  }

  @Test
  void oursOfProfile08AndKafka111DisagreeInTheSameWay() {
    AtomicBoolean gaveUp = new AtomicBoolean();
    try (RealConsumers newer = real(PeerRelease.V1_1_1);
        ZkRebalanceEngine engine = ours(PeerRelease.V0_8_2_2, gaveUp)) {
      newer.join("c1", ONE).awaitDone("c1");

      GroupMember older = join(engine, "c2");

      demandDisagreement(() -> gaveUp.get() || newer.hasGivenUp());
      assertThat(older.assignment().size()).isIn(0, share(Release.V0_8_2, "g_c2-0").size());
    }
  }

  private ZkRebalanceEngine ours(PeerRelease release, AtomicBoolean gaveUp) {
    ZkEngineConfig config =
        ZkEngineConfig.defaults(stage.connect())
            .withProfile(release.profile())
            .withAssignmentStrategy("roundrobin")
            .withRebalance(TRIES, RealConsumers.BACKOFF);
    return new ZkRebalanceEngine(
        config,
        observation -> {
          if (observation instanceof Observation.GaveUp) {
            gaveUp.set(true);
          }
        });
  }

  private static GroupMember join(ZkRebalanceEngine engine, String name) {
    return engine.join(new MemberConfig(PeerStage.GROUP, name, ONE), OwnershipListener.none());
  }

  /** Whoever claims first keeps its share; the other gives all of its back, at last for good. */
  private void demandDisagreement(Callable<Boolean> givenUp) {
    await("one has given up").atMost(PATIENCE).until(givenUp);
    SortedMap<TopicPartition, String> newer = share(Release.V1_0, "g_c1-0");
    SortedMap<TopicPartition, String> older = share(Release.V0_8_2, "g_c2-0");
    assertThat(newer.keySet()).containsAnyElementsOf(older.keySet());
    await("the other holds its share, and nobody the rest")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(stage.owners()).isIn(newer, older));
    assertThat(stage.memberIds()).containsExactly("g_c1", "g_c2");
    assertThat(stage.offenders())
        .containsExactlyElementsOf(
            IntStream.range(0, 11)
                .mapToObj(number -> new TopicPartition("t", number))
                .filter(partition -> !stage.owners().containsKey(partition))
                .map(partition -> partition + ": nobody owns it")
                .toList())
        .isNotEmpty();
  }

  private SortedMap<TopicPartition, String> share(Release release, String thread) {
    SortedMap<TopicPartition, String> share =
        stage.expectedOwners(new RoundRobinAssignor(release), Map.of("c1", ONE, "c2", ONE));
    share.values().removeIf(owner -> !owner.equals(thread));
    return share;
  }
}
