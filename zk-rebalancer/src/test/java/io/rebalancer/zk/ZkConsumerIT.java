package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.metrics.ZkConsumerMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an application sees of a consumer, and where its offsets go. */
class ZkConsumerIT {

  private static final Map<String, Integer> ONE_STREAM = Map.of("t", 1);

  private static Stage stage;
  private static int groups;

  private final List<ZkConsumer> open = new ArrayList<>();
  private final Map<String, Object> properties = new HashMap<>();

  @BeforeAll
  static void start() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t", 2);
  }

  @AfterAll
  static void stop() throws Exception {
    stage.close();
  }

  @BeforeEach
  void freshGroup() {
    properties.put("zookeeper.connect", stage.config.connect());
    properties.put("zookeeper.connection.timeout.ms", 10_000);
    properties.put("rebalance.backoff.ms", 100);
    properties.put("rebalance.max.retries", 60);
    properties.put("group.id", "own" + groups++);
  }

  @AfterEach
  void close() {
    open.forEach(ZkConsumer::close);
  }

  private ZkConsumer opened(ZkConsumer consumer) {
    open.add(consumer);
    return consumer;
  }

  private ZkConsumer join(String id) {
    properties.put("consumer.id", id);
    return opened(ZkConsumer.with(properties).join(ONE_STREAM));
  }

  private static void awaitOwned(ZkConsumer consumer, int... partitions) {
    await()
        .atMost(Stage.SETTLE)
        .until(() -> consumer.assignment().equals(Assignment.of("t", PartitionSet.of(partitions))));
  }

  private String offset(TopicPartition partition) throws Exception {
    return stage.text(
        "/consumers/" + properties.get("group.id") + "/offsets/t/" + partition.partition());
  }

  @Test
  void reportedPositionsAreCommittedAfterEachInterval() throws Exception {
    properties.put("auto.commit.interval.ms", 50);
    ZkConsumer consumer = join("c1");
    awaitOwned(consumer, 0, 1);

    consumer.report(t(0), 7);
    await().atMost(Stage.SETTLE).until(() -> offset(t(0)).equals("7"));
    consumer.report(t(0), 9);
    await().atMost(Stage.SETTLE).until(() -> offset(t(0)).equals("9"));

    assertThat(offset(t(1))).isEmpty();
    assertThat(consumer.committed(t(0)).get()).contains(9L);
  }

  @Test
  void reportedPositionsAreCommittedBeforeAReleaseAndOnClose() throws Exception {
    ZkConsumer first = join("c1");
    awaitOwned(first, 0, 1);
    first.report(t(0), 3);
    first.report(t(1), 4);

    ZkConsumer second = join("c2");
    awaitOwned(second, 1);
    assertThat(List.of(offset(t(0)), offset(t(1)))).containsExactly("3", "4");

    second.report(t(1), 40);
    second.close();
    assertThat(offset(t(1))).isEqualTo("40");
  }

  @Test
  void nothingIsCommittedUnaskedWithAutoCommitOff() throws Exception {
    properties.put("auto.commit.enable", "false");
    ZkConsumer consumer = join("c1");
    awaitOwned(consumer, 0, 1);

    consumer.report(t(0), 3);
    consumer.report(t(1), 4);
    consumer.commit().get();
    consumer.report(t(1), 5);
    consumer.close();

    assertThat(List.of(offset(t(0)), offset(t(1)))).containsExactly("3", "4");
  }

  @Test
  void whatIsNotOwnedIsNeitherReportedNorCommitted() {
    ZkConsumer consumer = join("c1");
    awaitOwned(consumer, 0, 1);

    assertThatThrownBy(() -> consumer.report(t(2), 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("c1: offsets of [t-2] (expected: partitions it owns)");
    assertThatThrownBy(() -> consumer.commit(Map.of(t(0), 1L, t(2), 1L)).get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> consumer.report(t(0), -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("offset of t-0: -1 (expected: >= 0)");
    assertThatThrownBy(() -> consumer.commit(Map.of(t(1), -5L)).get())
        .hasCauseInstanceOf(IllegalArgumentException.class);
    consumer.close();
    assertThatThrownBy(() -> consumer.report(t(0), 1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anOffsetStoreIsAskedFirstAndZooKeeperHearsOfWhatItTook() throws Exception {
    properties.put("offsets.storage", "kafka");
    properties.put("consumer.id", "c1");
    MapStore store = new MapStore();
    MeterRegistry meters = new SimpleMeterRegistry();
    ZkConsumer consumer =
        opened(ZkConsumer.with(properties).offsetStore(store).metrics(meters).join(ONE_STREAM));
    awaitOwned(consumer, 0, 1);
    store.refused.add(t(1));

    assertThatThrownBy(() -> consumer.commit(Map.of(t(0), 5L, t(1), 6L)).get())
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("c1: the offset store did not take {t-1=6}");

    assertThat(store.stored).isEqualTo(Map.of(t(0), 5L));
    assertThat(List.of(offset(t(0)), offset(t(1)))).containsExactly("5", "");
    for (String commits : List.of("KafkaCommitsPerSec", "ZooKeeperCommitsPerSec")) {
      assertThat(meters.get(ZkConsumerMetrics.ORIGINAL + commits).counter().count()).isOne();
    }
    store.stored.put(t(0), 4L);
    assertThat(consumer.committed(t(0)).get()).as("the larger of 4 and 5").contains(5L);
    store.stored.put(t(0), 8L);
    assertThat(consumer.committed(t(0)).get()).as("the larger of 8 and 5").contains(8L);
    consumer.close();
    assertThat(meters.getMeters()).isEmpty();
  }

  @Test
  void withoutDualCommitZooKeeperHearsOfNoOffset() throws Exception {
    properties.put("offsets.storage", "kafka");
    properties.put("dual.commit.enabled", "false");
    MapStore store = new MapStore();
    ZkConsumer consumer = opened(ZkConsumer.with(properties).offsetStore(store).join(ONE_STREAM));
    awaitOwned(consumer, 0, 1);

    consumer.commit(Map.of(t(0), 5L)).get();

    assertThat(stage.stat("/consumers/" + properties.get("group.id") + "/offsets")).isNull();
    assertThat(consumer.committed(t(0)).get()).contains(5L);
    assertThat(consumer.committed(t(1)).get()).isEqualTo(Optional.empty());
  }

  @Test
  void aListenerIsToldBeforeTheReleaseAndMayCommit() throws Exception {
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    AtomicReference<ZkConsumer> self = new AtomicReference<>();
    properties.put("consumer.id", "c1");
    ZkConsumer consumer =
        opened(
            ZkConsumer.with(properties)
                .listener(
                    new OwnershipListener() {
                      @Override
                      public void onAssigned(Assignment partitions) {
                        told.add("assigned " + partitions.size());
                      }

                      @Override
                      public void onRevoked(Assignment partitions) {
                        self.get().commit(Map.of(t(1), 11L)).join();
                        told.add("revoked " + partitions.size());
                      }
                    })
                .join(ONE_STREAM));
    self.set(consumer);
    awaitOwned(consumer, 0, 1);

    consumer.close();

    assertThat(told).containsExactly("assigned 2", "revoked 2");
    assertThat(offset(t(1))).isEqualTo("11");
  }

  @Test
  void aPoolWithGivenPartitionsNeedsNoBrokers() throws Exception {
    properties.put("zookeeper.connect", stage.config.connect() + "/pool");
    stage.admin.create().orSetData().forPath("/pool");
    Map<String, Integer> shards = Map.of("shards", 5);
    properties.put("consumer.id", "w1");
    ZkConsumer first =
        opened(ZkConsumer.with(properties).partitions(shards).join(Map.of("shards", 1)));
    properties.put("consumer.id", "w2");
    ZkConsumer second =
        opened(
            ZkConsumer.with(properties).partitions(shards).join(TopicFilter.whiteList("sha.*"), 1));

    await()
        .atMost(Stage.SETTLE)
        .until(
            () ->
                first.assignment().equals(Assignment.of("shards", PartitionSet.range(0, 3)))
                    && second
                        .assignment()
                        .equals(Assignment.of("shards", PartitionSet.range(3, 2))));
    first.close();
    await().atMost(Stage.SETTLE).until(() -> second.assignment().size() == 5);
    assertThat(stage.admin.getChildren().forPath("/pool")).containsExactly("consumers");
    assertThat(stage.stat("/pool" + ZnodePaths.BROKERS)).isNull();
  }

  @Test
  void whatCannotBeIsRefusedBeforeAnythingIsWritten() {
    properties.put("group.id", "a/b");
    assertThatThrownBy(() -> join("c1")).hasMessageStartingWith("group.id: \"a/b\" (expected: ");
    properties.put("group.id", "fine");
    assertThatThrownBy(() -> ZkConsumer.with(properties).join(Map.of("t", 0)))
        .hasMessage("streams of topic t: 0 (expected: >= 1)");
  }

  @Test
  void aTopicThatIsNotAmongTheGivenOnesIsRefused() {
    properties.put("consumer.id", "c1");
    assertThatThrownBy(
            () -> ZkConsumer.with(properties).partitions(Map.of("shard", 3)).join(Map.of("s", 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topics: [s] (expected: of those with given partitions, [shard])");
  }

  @Test
  void whatAListenerThrowsIsSaidOnceWithItsClassAndFailsTheAttempt() {
    properties.put("consumer.id", "c1");
    AtomicInteger calls = new AtomicInteger();
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.runtime.ConsumerEffects")) {
      ZkConsumer consumer =
          opened(
              ZkConsumer.with(properties)
                  .listener(
                      new OwnershipListener() {
                        @Override
                        public void onAssigned(Assignment partitions) {
                          if (calls.incrementAndGet() < 4) {
                            throw new ArithmeticException();
                          }
                        }
                      })
                  .join(ONE_STREAM));
      await().atMost(Stage.SETTLE).until(() -> calls.get() == 4);
      awaitOwned(consumer, 0, 1);

      assertThat(log.messages())
          .containsExactly(
              "WARN c1: the listener failed in onAssigned: java.lang.ArithmeticException",
              "WARN c1: the listener goes on, after 3 failures");
    }
  }
}
