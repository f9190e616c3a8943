package io.rebalancer.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.coordinator.client.CoordinatedMember;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The example beside another member of its group; Kafka's own stand-in has the records. */
class AssignedConsumerIT {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final org.apache.kafka.common.TopicPartition KAFKAS =
      new org.apache.kafka.common.TopicPartition("t", 0);
  private static final Assignment ALL = Assignment.of("t", PartitionSet.of(0));

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final List<Long> offsets = new CopyOnWriteArrayList<>();
  private final MockConsumer<byte[], byte[]> records =
      new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name()) {
        /** As a consumer's: does not come back at once for nothing. */
        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
          ConsumerRecords<byte[], byte[]> batch = super.poll(timeout);
          if (batch.isEmpty()) {
            LockSupport.parkNanos(timeout.toNanos() / 10);
          }
          return batch;
        }
      };
  private TestingServer zookeeper;
  private CoordinatorNode node;
  private CoordinatorRebalanceEngine engine;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 500, 0), true);
    try (CuratorFramework admin =
        CuratorFrameworkFactory.newClient(zookeeper.getConnectString(), new RetryOneTime(100))) {
      admin.start();
      admin
          .create()
          .creatingParentsIfNeeded()
          .forPath(ZnodePaths.topic("t"), TopicPayload.encode(1, List.of(1)));
    }
    node =
        CoordinatorNode.start(
            CoordinatorConfig.of(zookeeper.getConnectString(), new HostPort("127.0.0.1", 0))
                .withGroupInitialRebalanceDelay(Duration.ofMillis(100)),
            ledger);
    engine =
        new CoordinatorRebalanceEngine(
            CoordinatorClientConfig.of(List.of(node.address()))
                .withSession(Duration.ofSeconds(6), Duration.ofMillis(100)),
            ledger);
    records.updateBeginningOffsets(Map.of(KAFKAS, 0L));
  }

  @AfterEach
  void stop() throws Exception {
    engine.close();
    node.close();
    zookeeper.close();
  }

  private CoordinatedMember join(String name, OwnershipListener listener) {
    return engine.join(
        new MemberConfig(new GroupId("g"), name, Subscription.copyOf(Map.of("t", 1))), listener);
  }

  private void feed(long from, long to) {
    records.schedulePollTask(
        () -> {
          for (long offset = from; offset < to; offset++) {
            records.addRecord(new ConsumerRecord<>("t", 0, offset, new byte[0], new byte[0]));
          }
        });
  }

  private static void awaitThat(java.util.concurrent.Callable<Boolean> condition) {
    await().atMost(PATIENCE).until(condition);
  }

  @Test
  void b077APartitionThatComesBackIsReadFromItsStoredPosition() throws Exception {
    AssignedConsumer c1 =
        new AssignedConsumer(
            records, listener -> join("b", listener), record -> offsets.add(record.offset()));
    CompletableFuture<Void> running = CompletableFuture.runAsync(c1::run);
    awaitThat(() -> records.assignment().contains(KAFKAS));
    feed(0, 100);
    awaitThat(() -> offsets.size() == 100);

    CoordinatedMember c2 = join("a", OwnershipListener.none()); // The first by name, for range.
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(c2.assignment()).isEqualTo(ALL));
    assertThat(records.assignment()).isEmpty();
    assertThat(c2.committed(T0).get(5, TimeUnit.SECONDS)).contains(100L);
    c2.commit(Map.of(T0, 250L)).get(5, TimeUnit.SECONDS);
    c2.close();
    awaitThat(() -> records.assignment().contains(KAFKAS));
    feed(100, 300);
    awaitThat(() -> offsets.contains(299L));
    c1.close();
    running.get(5, TimeUnit.SECONDS);

    assertThat(offsets).hasSize(150).startsWith(0L).endsWith(299L);
    assertThat(offsets.get(100)).isEqualTo(250L);
    assertThat(records.closed()).isTrue();
    CoordinatedMember reader = join("c", OwnershipListener.none());
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(reader.assignment()).isEqualTo(ALL));
    assertThat(reader.committed(T0).get(5, TimeUnit.SECONDS)).contains(300L);
    assertThat(ledger.check().violations()).isEmpty();
  }

  /** Whose {@code poll()} throws when nothing is assigned. */
  @Test
  void aRealConsumerWaitsWhileItOwnsNothingAndPollsWheneverItOwnsSomething() throws Exception {
    AtomicInteger polls = new AtomicInteger();
    CoordinatedMember c2 = join("a", OwnershipListener.none()); // The first by name, for range.
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(c2.assignment()).isEqualTo(ALL));
    AtomicReference<CoordinatedMember> member = new AtomicReference<>();
    AssignedConsumer c1 =
        new AssignedConsumer(
            realConsumer(polls),
            listener -> {
              member.set(join("b", listener));
              return member.get();
            },
            record -> {});
    CompletableFuture<Void> running = CompletableFuture.runAsync(c1::run);
    awaitThat(() -> member.get().id().isPresent());
    c2.close();
    awaitThat(() -> running.isDone() || polls.get() > 1);

    CoordinatedMember c3 = join("a", OwnershipListener.none());
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(c3.assignment()).isEqualTo(ALL));
    int before = polls.get();
    c3.close();
    awaitThat(() -> running.isDone() || polls.get() > before + 1);

    assertThat(running).isNotDone();
    c1.close();
    running.get(5, TimeUnit.SECONDS);
    assertThat(ledger.check().violations()).isEmpty();
  }

  /** Our coordinator is its broker, too: one whose partitions are empty. */
  private KafkaConsumer<byte[], byte[]> realConsumer(AtomicInteger polls) {
    String broker = node.address().getHostString() + ":" + node.address().getPort();
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", broker),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer()) {
      @Override
      public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        ConsumerRecords<byte[], byte[]> batch = super.poll(timeout);
        polls.incrementAndGet();
        return batch;
      }
    };
  }

  @Test
  void workThatThrowsEndsTheConsumerAndItsMembership() {
    AssignedConsumer consumer =
        new AssignedConsumer(
            records,
            listener -> join("a", listener),
            record -> {
              throw new IllegalArgumentException("bad record");
            });
    CompletableFuture<Void> running = CompletableFuture.runAsync(consumer::run);
    awaitThat(() -> records.assignment().contains(KAFKAS));

    feed(0, 1);

    assertThatThrownBy(() -> running.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("bad record");
    CoordinatedMember next = join("b", OwnershipListener.none());
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(next.assignment()).isEqualTo(ALL));
  }
}
