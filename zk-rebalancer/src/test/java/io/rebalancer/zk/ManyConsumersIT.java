package io.rebalancer.zk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerChecker;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A group of 200, each with a ZooKeeper session of its own, in one JVM with their server. */
class ManyConsumersIT {

  private static final int CONSUMERS = 200;
  private static final int PARTITIONS = 256;
  private static final ExecutorService THREADS = Executors.newFixedThreadPool(20);
  private static final Duration SETTLE = Duration.ofMinutes(5);

  /** Only what this test needs: a change of the group is some 42,000 requests. */
  private static final class Ledger implements RebalanceObserver {
    final Queue<LedgerEntry> entries = new ConcurrentLinkedQueue<>();
    final LongAdder gaveUp = new LongAdder();

    @Override
    public void on(Observation observation) {
      if (observation instanceof Observation.Ownership ownership) {
        entries.add(ownership.entry());
      } else if (observation instanceof Observation.GaveUp) {
        gaveUp.increment();
      }
    }
  }

  @AfterAll
  static void stopThreads() {
    THREADS.shutdownNow();
  }

  private final Ledger kept = new Ledger();
  private final Map<String, GroupMember> members = new ConcurrentSkipListMap<>();

  @Test
  void twoHundredSettleAndTakeTenChangesOfTheGroupWithAValidLedger() throws Exception {
    try (TestingServer server =
            new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 2_000, 0), true);
        CuratorFramework admin =
            CuratorFrameworkFactory.newClient(
                server.getConnectString(), 40_000, 15_000, new RetryOneTime(100));
        ZkRebalanceEngine engine =
            new ZkRebalanceEngine(
                ZkEngineConfig.defaults(server.getConnectString())
                    .withSessionTimeout(Duration.ofSeconds(40))
                    .withRebalance(100, Duration.ofMillis(500)),
                kept)) {
      admin.start();
      admin
          .create()
          .creatingParentsIfNeeded()
          .forPath(ZnodePaths.broker(1), new BrokerRegistration("h1", 9092, 0, true).encode());
      admin
          .create()
          .creatingParentsIfNeeded()
          .forPath(ZnodePaths.topic("t"), TopicPayload.encode(PARTITIONS, List.of(1)));

      join(
          engine,
          IntStream.range(0, CONSUMERS).mapToObj("c%03d"::formatted).toArray(String[]::new));
      settle(admin, "200 start");

      for (String name : List.of("c100", "c000", "c199")) {
        leave(name);
        settle(admin, name + " leaves");
      }
      for (String name : List.of("c055a", "a", "z")) {
        join(engine, name);
        settle(admin, name + " joins");
      }
      leave("c010", "c150");
      settle(admin, "two leave");
      join(engine, "c010", "c2");
      settle(admin, "two join");
    }
    assertThat(LedgerChecker.check(kept.entries, Ticker.system().nanos()).violations()).isEmpty();
    assertThat(kept.entries.stream().map(LedgerEntry::member).distinct()).hasSize(CONSUMERS + 4);
    assertThat(kept.gaveUp.sum()).isZero();
  }

  private void join(ZkRebalanceEngine engine, String... names) throws Exception {
    atOnce(
        name ->
            members.put(
                name,
                engine.join(
                    new MemberConfig(Stage.GROUP, name, Subscription.copyOf(Map.of("t", 1))),
                    OwnershipListener.none())),
        names);
  }

  private void leave(String... names) throws Exception {
    atOnce(name -> requireNonNull(members.remove(name)).close(), names);
  }

  private static void atOnce(Consumer<String> change, String... names) throws Exception {
    List<CompletableFuture<Void>> changes =
        Arrays.stream(names)
            .map(name -> CompletableFuture.runAsync(() -> change.accept(name), THREADS))
            .toList();
    CompletableFuture.allOf(changes.toArray(CompletableFuture[]::new)).get(5, TimeUnit.MINUTES);
  }

  /** Every member believes in just what range gives it, and so do the owner nodes. */
  private void settle(CuratorFramework admin, String change) {
    Map<MemberId, Subscription> subscriptions = new TreeMap<>();
    for (GroupMember member : members.values()) {
      subscriptions.put(member.id().orElseThrow(), Subscription.copyOf(Map.of("t", 1)));
    }
    Map<MemberId, Assignment> shares =
        new RangeAssignor().assign(Map.of("t", PartitionSet.range(0, PARTITIONS)), subscriptions);
    await(change)
        .atMost(SETTLE)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> assertThat(believed(members.values())).isEqualTo(shares));
    await(change)
        .atMost(SETTLE)
        .untilAsserted(
            () -> {
              for (Map.Entry<MemberId, Assignment> share : shares.entrySet()) {
                for (TopicPartition partition : share.getValue().stream().toList()) {
                  assertThat(admin.getData().forPath(ZnodePaths.owner(Stage.GROUP, partition)))
                      .asString(UTF_8)
                      .isEqualTo(share.getKey() + "-0");
                }
              }
            });
  }

  private static Map<MemberId, Assignment> believed(Collection<GroupMember> members) {
    Map<MemberId, Assignment> believed = new TreeMap<>();
    members.forEach(member -> believed.put(member.id().orElseThrow(), member.assignment()));
    return believed;
  }
}
