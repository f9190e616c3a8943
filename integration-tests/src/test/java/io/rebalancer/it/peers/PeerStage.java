package io.rebalancer.it.peers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.group.OwnershipCheck;
import io.rebalancer.bridge.zookeeper.ClusterNodes;
import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.bridge.zookeeper.GroupNodes;
import io.rebalancer.bridge.zookeeper.ZooKeeperConnection;
import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.awaitility.core.ConditionTimeoutException;

/** A chroot of a server with brokers and topics, for one group; says who owns what in it. */
final class PeerStage implements AutoCloseable {

  static final GroupId GROUP = new GroupId("g");

  /** How long owners must stand still to count as settled. */
  private static final Duration QUIET = Duration.ofMillis(500);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String connect;
  private final ZooKeeperConnection connection;
  private final ClusterNodes cluster;
  private final CuratorFramework client;
  private final List<Integer> brokerPorts;

  PeerStage(String server, String name, List<Integer> brokerPorts, Map<String, Integer> topics) {
    connect = server + "/" + name;
    connection = ZooKeeperConnection.openOrCreate(ConnectString.parse(connect));
    cluster = new ClusterNodes(connection, Clock.systemUTC());
    client = CuratorFrameworkFactory.newClient(connect, new RetryOneTime(100));
    client.start();
    this.brokerPorts = List.copyOf(brokerPorts);
    IntStream.rangeClosed(1, brokerPorts.size()).forEach(this::addBroker);
    topics.forEach(cluster::createTopic);
  }

  void createTopic(String topic, int partitions) {
    cluster.createTopic(topic, partitions);
  }

  /** With this stage's chroot. */
  String connect() {
    return connect;
  }

  /** Their ids. */
  List<Integer> brokers() {
    return cluster.brokers();
  }

  /** A broker at the stub of that number, from 1 on; there are more brokers than stubs. */
  void addBroker(int id) {
    int port = brokerPorts.get((id - 1) % brokerPorts.size());
    byte[] payload = new BrokerRegistration("127.0.0.1", port, 1_796_033_893_019L, false).encode();
    unchecked(
        () -> client.create().creatingParentsIfNeeded().forPath(ZnodePaths.broker(id), payload));
  }

  void removeBroker(int id) {
    cluster.removeBroker(id);
  }

  /** Writes a topic's payload as it would be with that many partitions, also with fewer. */
  void setPartitions(String topic, int partitions) {
    byte[] payload = TopicPayload.encode(partitions, List.of(1));
    unchecked(() -> client.setData().forPath(ZnodePaths.topic(topic), payload));
  }

  /** An owner znode's payload, and which creation of it. */
  record Owner(String thread, long czxid) {}

  SortedMap<TopicPartition, Owner> ownerNodes() {
    SortedMap<TopicPartition, Owner> owners = new TreeMap<>();
    String root = ZnodePaths.owners(GROUP);
    for (String topic : children(root)) {
      for (String number : children(root + "/" + topic)) {
        TopicPartition partition = new TopicPartition(topic, Integer.parseInt(number));
        unchecked(
            () -> {
              Stat stat = new Stat();
              try {
                byte[] data =
                    client.getData().storingStatIn(stat).forPath(root + "/" + topic + "/" + number);
                owners.put(partition, new Owner(new String(data, UTF_8), stat.getCzxid()));
              } catch (KeeperException.NoNodeException e) {
                // Released between listing and reading.
              }
              return partition;
            });
      }
    }
    return owners;
  }

  SortedMap<TopicPartition, String> owners() {
    return threads(ownerNodes());
  }

  private static SortedMap<TopicPartition, String> threads(SortedMap<TopicPartition, Owner> nodes) {
    SortedMap<TopicPartition, String> threads = new TreeMap<>();
    nodes.forEach((partition, owner) -> threads.put(partition, owner.thread()));
    return threads;
  }

  /**
   * Children ever made and removed below the group's owners, from the topics' {@code cversion},
   * which counts both.
   */
  record Children(long created, long deleted) {
    Children since(Children earlier) {
      return new Children(created - earlier.created, deleted - earlier.deleted);
    }
  }

  Children ownerChildren() {
    long changes = 0;
    long present = 0;
    String root = ZnodePaths.owners(GROUP);
    for (String topic : children(root)) {
      Stat stat = unchecked(() -> client.checkExists().forPath(root + "/" + topic));
      changes += stat.getCversion();
      present += stat.getNumChildren();
    }
    return new Children((changes + present) / 2, (changes - present) / 2);
  }

  /** Ends that member's ZooKeeper session at the server. */
  void expire(String name) {
    String path = ZnodePaths.id(GROUP, new MemberId(GROUP + "_" + name));
    unchecked(
        () -> {
          StolenSession.end(connect, client.checkExists().forPath(path).getEphemeralOwner());
          return path;
        });
  }

  /** What is wrong with it, as {@code rebalancer verify} says. */
  List<String> offenders() {
    return OwnershipCheck.offenders(new GroupNodes(connection, cluster).read(GROUP).orElseThrow());
  }

  List<String> memberIds() {
    return children(ZnodePaths.ids(GROUP)).stream().sorted().toList();
  }

  /** Who should own what, by the strategy, among the members of these names. */
  SortedMap<TopicPartition, String> expectedOwners(
      PartitionAssignor assignor, Map<String, Subscription> membersByName) {
    Map<MemberId, Subscription> members = new TreeMap<>();
    membersByName.forEach(
        (name, subscription) -> members.put(new MemberId(GROUP + "_" + name), subscription));
    Map<String, PartitionSet> topics = cluster.topics();
    topics.keySet().removeIf(t -> members.values().stream().noneMatch(m -> m.includes(t)));
    SortedMap<TopicPartition, String> expected = new TreeMap<>();
    assignor
        .assignThreads(topics, members)
        .forEach(
            (thread, share) ->
                share.stream().forEach(partition -> expected.put(partition, thread.toString())));
    return expected;
  }

  /** Waits until exactly these own exactly that, and no owner znode has moved for a while. */
  void awaitOwners(String step, SortedMap<TopicPartition, String> expected) {
    AtomicReference<SortedMap<TopicPartition, Owner>> last = new AtomicReference<>();
    try {
      await(step)
          .atMost(PATIENCE)
          .during(QUIET)
          .until(
              () -> {
                SortedMap<TopicPartition, Owner> now = ownerNodes();
                return now.equals(last.getAndSet(now)) && threads(now).equals(expected);
              });
    } catch (ConditionTimeoutException e) {
      assertThat(owners()).as(step).isEqualTo(expected);
      throw e;
    }
  }

  /** With everything below it; a group that does not exist is fine. */
  void deleteGroup() {
    unchecked(
        () ->
            client.delete().quietly().deletingChildrenIfNeeded().forPath(ZnodePaths.group(GROUP)));
  }

  /** Every znode of the group: payload, kind and version. Times of registration are left out. */
  SortedMap<String, String> znodes() {
    SortedMap<String, String> found = new TreeMap<>();
    collect(ZnodePaths.CONSUMERS, found);
    return found;
  }

  private void collect(String path, SortedMap<String, String> found) {
    Stat stat = new Stat();
    byte[] data = unchecked(() -> client.getData().storingStatIn(stat).forPath(path));
    String text = data == null ? "null" : "'" + new String(data, UTF_8) + "'";
    found.put(
        path,
        text.replaceFirst("\"timestamp\":\"\\d{13}\"", "\"timestamp\":\"TIME\"")
            + (stat.getEphemeralOwner() == 0 ? " persistent " : " ephemeral ")
            + stat.getVersion());
    children(path).forEach(child -> collect(path + "/" + child, found));
  }

  private List<String> children(String path) {
    return unchecked(
        () -> {
          try {
            return client.getChildren().forPath(path);
          } catch (KeeperException.NoNodeException e) {
            return List.of();
          }
        });
  }

  private interface Request<T> {
    T send() throws Exception;
  }

  private static <T> T unchecked(Request<T> request) {
    try {
      return request.send();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    connection.close();
  }
}
