package io.rebalancer.zk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A real ZooKeeper with brokers and topics, an engine, and the test's own client. */
final class Stage implements AutoCloseable {

  static final GroupId GROUP = new GroupId("g1");
  static final Duration SETTLE = Duration.ofSeconds(20);

  private static final int TICK_MS = 500;

  final TestingServer server;
  final CuratorFramework admin;
  final Recorder recorder = new Recorder();
  final ZkEngineConfig config;
  final ZkRebalanceEngine engine;
  private final List<ZkRebalanceEngine> engines = new ArrayList<>();
  private final Map<String, Integer> topics = new ConcurrentHashMap<>();

  Stage(Profile profile) throws Exception {
    server = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MS, 0), true);
    admin = newClient(server.getConnectString());
    config =
        ZkEngineConfig.defaults(server.getConnectString())
            .withProfile(profile)
            .withRebalance(20, Duration.ofMillis(100))
            .withSessionTimeout(Duration.ofSeconds(2))
            .withConnectionTimeout(Duration.ofSeconds(10));
    engine = engine(config);
  }

  Stage brokers(int... ids) throws Exception {
    for (int id : ids) {
      byte[] payload = new BrokerRegistration("h" + id, 9092, 0, true).encode();
      admin
          .create()
          .creatingParentsIfNeeded()
          .withMode(CreateMode.EPHEMERAL)
          .forPath(ZnodePaths.broker(id), payload);
    }
    return this;
  }

  Stage topic(String name, int partitions) throws Exception {
    topics.put(name, partitions);
    String path = ZnodePaths.topic(name);
    byte[] payload = TopicPayload.encode(partitions, List.of(1));
    if (admin.checkExists().forPath(path) == null) {
      admin.create().creatingParentsIfNeeded().forPath(path, payload);
    } else {
      admin.setData().forPath(path, payload);
    }
    return this;
  }

  MemberConfig member(String name) {
    Map<String, Integer> streams = new TreeMap<>();
    topics.keySet().forEach(topic -> streams.put(topic, 1));
    return new MemberConfig(GROUP, name, Subscription.copyOf(streams));
  }

  /** An engine beside the first, with the same recorder. */
  ZkRebalanceEngine engine(ZkEngineConfig other) {
    ZkRebalanceEngine made = new ZkRebalanceEngine(other, recorder);
    engines.add(made);
    return made;
  }

  /** A member that has the original's four tries, and a short back-off. */
  GroupMember joinWithFourTries(String name) {
    return engine(config.withRebalance(4, Duration.ofMillis(50)))
        .join(member(name), OwnershipListener.none());
  }

  GroupMember join(String name) {
    return engine.join(member(name), OwnershipListener.none());
  }

  /** Waits until every one owns what range gives it, on paper and in its own belief. */
  void awaitBalance(GroupMember... members) {
    awaitShares(members);
    awaitQuiet();
  }

  void awaitShares(GroupMember... members) {
    Map<MemberId, Subscription> subscriptions = new TreeMap<>();
    for (GroupMember member : members) {
      subscriptions.put(member.id().orElseThrow(), member("any").subscription());
    }
    Map<String, PartitionSet> partitions = new TreeMap<>();
    topics.forEach((topic, count) -> partitions.put(topic, PartitionSet.range(0, count)));
    Map<MemberId, Assignment> shares = new RangeAssignor().assign(partitions, subscriptions);
    await()
        .atMost(SETTLE)
        .untilAsserted(
            () -> {
              for (GroupMember member : members) {
                MemberId id = member.id().orElseThrow();
                assertThat(member.assignment()).as("share of %s", id).isEqualTo(shares.get(id));
                for (TopicPartition p :
                    (Iterable<TopicPartition>) shares.get(id).stream()::iterator) {
                  assertThat(owner(p)).isEqualTo(id + "-0");
                }
              }
            });
  }

  /** Waits until no observation has come for a while. */
  void awaitQuiet() {
    long[] last = {-1};
    await()
        .atMost(SETTLE)
        .pollInterval(Duration.ofMillis(50))
        .during(Duration.ofMillis(400))
        .until(
            () -> {
              long now = recorder.count(Observation.class);
              boolean same = now == last[0];
              last[0] = now;
              return same;
            });
  }

  /** The server's verdict on the topic's data is unchanged; every watcher is told all the same. */
  void touch(String topic) throws Exception {
    String path = ZnodePaths.topic(topic);
    admin.setData().forPath(path, admin.getData().forPath(path));
  }

  /** An ephemeral of the test's own session where an owner node belongs. */
  void occupy(TopicPartition partition, String owner) throws Exception {
    occupy(admin, partition, owner);
  }

  static void occupy(CuratorFramework client, TopicPartition partition, String owner)
      throws Exception {
    client
        .create()
        .creatingParentsIfNeeded()
        .withMode(CreateMode.EPHEMERAL)
        .forPath(ZnodePaths.owner(GROUP, partition), owner.getBytes(UTF_8));
  }

  CuratorFramework newClient(String connect) {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(connect)
            .sessionTimeoutMs(10_000)
            .retryPolicy(new RetryOneTime(100))
            .ensembleTracker(false)
            .build();
    client.start();
    return client;
  }

  /** The owner node's text, or empty. */
  String owner(TopicPartition partition) throws Exception {
    return text(ZnodePaths.owner(GROUP, partition));
  }

  String text(String path) throws Exception {
    try {
      return new String(admin.getData().forPath(path), UTF_8);
    } catch (KeeperException.NoNodeException e) {
      return "";
    }
  }

  Stat stat(String path) throws Exception {
    return admin.checkExists().forPath(path);
  }

  List<String> ids() throws Exception {
    return admin.getChildren().forPath(ZnodePaths.ids(GROUP)).stream().sorted().toList();
  }

  /** Ends a session as the server does when it has not heard of it in time. */
  void expire(long session) throws Exception {
    zooKeeper().closeSession(session);
  }

  /** Takes that session's watches away, and tells nobody. */
  void dropWatches(String path, long session) throws Exception {
    ZooKeeperServer zooKeeper = zooKeeper();
    for (ServerCnxn connection : zooKeeper.getServerCnxnFactory().getConnections()) {
      if (connection.getSessionId() == session) {
        zooKeeper.getZKDatabase().removeWatch(path, WatcherType.Any, connection);
      }
    }
  }

  /** curator-test does not give its server out. */
  private ZooKeeperServer zooKeeper() throws Exception {
    Object held = server;
    for (String name :
        List.of(
            "testingZooKeeperServer",
            "main",
            "zooKeeperEmbedded",
            "mainsingle",
            "cnxnFactory",
            "zkServer")) {
      held = field(held, name);
    }
    return (ZooKeeperServer) held;
  }

  private static Object field(Object holder, String name) throws Exception {
    for (Class<?> type = holder.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return requireNonNull(field.get(holder), name);
        }
      }
    }
    throw new NoSuchFieldException(holder.getClass() + "." + name);
  }

  static TopicPartition t(int partition) {
    return new TopicPartition("t", partition);
  }

  /** What the server says it has notified, over the four kinds of watch events. */
  static long serverNotifications() {
    return metric("sum_node_created_watch_count")
        + metric("sum_node_deleted_watch_count")
        + metric("sum_node_changed_watch_count")
        + metric("sum_node_children_watch_count");
  }

  static long metric(String key) {
    long[] found = {0};
    ServerMetrics.getMetrics()
        .getMetricsProvider()
        .dump(
            (name, value) -> {
              if (name.equals(key) && value instanceof Number number) {
                found[0] = number.longValue();
              }
            });
    return found[0];
  }

  @Override
  public void close() throws Exception {
    engines.forEach(ZkRebalanceEngine::close);
    admin.close();
    server.close();
  }
}
