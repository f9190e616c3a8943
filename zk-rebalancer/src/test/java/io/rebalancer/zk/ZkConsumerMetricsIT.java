package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.metrics.ZkConsumerMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the meters say of a consumer that rebalances on a real ZooKeeper. */
class ZkConsumerMetricsIT {

  private static final String ORIGINAL = ZkConsumerMetrics.ORIGINAL;

  @Test
  void aConsumersLifeIsCounted() throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Stage stage = new Stage(Profile.V1_1).brokers(1).topic("t", 3);
        ZkConsumerMetrics metrics = new ZkConsumerMetrics(registry, "client", "g1")) {
      RebalanceObserver both =
          observation -> List.of(metrics, stage.recorder).forEach(o -> o.on(observation));
      Duration backoff = Duration.ofMillis(50);
      try (ZkRebalanceEngine engine =
          new ZkRebalanceEngine(stage.config.withRebalance(2, backoff), both)) {
        GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
        stage.awaitBalance(member);
        assertThat(registry.get(ORIGINAL + "RebalanceRateAndTime").timer().count()).isEqualTo(1);
        assertThat(owned(registry)).isEqualTo(3);

        member.commit(Map.of(t(0), 1L, t(1), 1L)).join();
        assertThat(registry.get(ORIGINAL + "ZooKeeperCommitsPerSec").counter().count())
            .isEqualTo(2);

        stage.admin.create().forPath(ZnodePaths.ids(Stage.GROUP) + "/g1_poison", new byte[0]);
        await()
            .atMost(Stage.SETTLE)
            .until(() -> stage.recorder.count(Observation.GaveUp.class) == 1);

        assertThat(registry.get(ORIGINAL + "RebalanceRateAndTime").timer().count()).isEqualTo(2);
        assertThat(
                registry
                    .get(ORIGINAL + "RebalanceRateAndTime")
                    .timer()
                    .totalTime(TimeUnit.MILLISECONDS))
            .isGreaterThanOrEqualTo(2 * backoff.toMillis());
        assertThat(registry.get("rebalancer.zk.attempts.failed").counter().count()).isEqualTo(2);
        assertThat(registry.get("rebalancer.zk.gave.up").counter().count()).isEqualTo(1);
        assertThat(registry.get("rebalancer.zk.znodes.unreadable").counter().count()).isEqualTo(2);
        assertThat(owned(registry)).isZero();
      }
    }
    assertThat(registry.getMeters()).isEmpty();
  }

  private static double owned(MeterRegistry registry) {
    return registry.get(ORIGINAL + "OwnedPartitionsCount").gauge().value();
  }
}
