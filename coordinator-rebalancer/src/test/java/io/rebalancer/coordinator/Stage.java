package io.rebalancer.coordinator;

import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server, topics in it, and a coordinator on top, for one test. */
final class Stage implements AutoCloseable {

  static final Duration ZOOKEEPER_SESSION = Duration.ofSeconds(4);

  final List<Observation> observations = new CopyOnWriteArrayList<>();
  final TestingServer zookeeper;
  final CuratorFramework admin;
  CoordinatorNode node;
  private GroupAssignmentConfig assignment = GroupAssignmentConfig.CLASSIC;

  Stage() throws Exception {
    zookeeper = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 500, 0), true);
    admin =
        CuratorFrameworkFactory.builder()
            .connectString(zookeeper.getConnectString())
            .retryPolicy(new RetryOneTime(100))
            .ensembleTracker(false)
            .build();
    admin.start();
  }

  static Stage withCoordinator() throws Exception {
    return withCoordinator(GroupAssignmentConfig.CLASSIC);
  }

  static Stage withCoordinator(GroupAssignmentConfig assignment) throws Exception {
    Stage stage = new Stage();
    stage.assignment = assignment;
    stage.startCoordinator();
    return stage;
  }

  CoordinatorConfig config() {
    return CoordinatorConfig.of(zookeeper.getConnectString(), new HostPort("127.0.0.1", 0))
        .withZookeeperSessionTimeout(ZOOKEEPER_SESSION)
        .withGroupInitialRebalanceDelay(Duration.ofMillis(100))
        .withGroupAssignment(assignment);
  }

  void startCoordinator() {
    node = CoordinatorNode.start(config(), observations::add);
  }

  void topic(String name, int partitions) throws Exception {
    byte[] payload = TopicPayload.encode(partitions, List.of(1));
    if (admin.checkExists().forPath(ZnodePaths.topic(name)) == null) {
      admin.create().creatingParentsIfNeeded().forPath(ZnodePaths.topic(name), payload);
    } else {
      admin.setData().forPath(ZnodePaths.topic(name), payload);
    }
  }

  String bootstrap() {
    return "127.0.0.1:" + node.address().getPort();
  }

  KafkaConsumer<byte[], byte[]> consumer(String group, String clientId, Map<String, Object> extra) {
    Properties properties = new Properties();
    properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap());
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    properties.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, 200);
    properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, 6_000);
    properties.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, 60_000);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.putAll(extra);
    return new KafkaConsumer<>(
        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Ends the session that registered the coordinator, as an expiry would, on the server. */
  void endCoordinatorSession() throws Exception {
    long session =
        admin.checkExists().forPath("/rebalancer/coordinators/1000000000").getEphemeralOwner();
    Object held = zookeeper;
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
    ((ZooKeeperServer) held).closeSession(session);
  }

  /** curator-test does not give its server out. */
  private static Object field(Object holder, String name) throws Exception {
    for (Class<?> type = holder.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          field.setAccessible(true);
          return field.get(holder);
        }
      }
    }
    throw new IllegalStateException(holder.getClass() + ": expected a field " + name);
  }

  <T extends Observation> List<T> observed(Class<T> type) {
    return observations.stream().filter(type::isInstance).map(type::cast).toList();
  }

  @Override
  public void close() throws Exception {
    if (node != null) {
      node.close();
    }
    admin.close();
    zookeeper.close();
  }
}
