package io.rebalancer.bridge.zookeeper;

import static io.rebalancer.bridge.zookeeper.ZooKeeperConnection.attempt;

import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.BrokerRegistration;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;

/**
 * Brokers and topics as the historical layout has them: what a cluster would have written, so that
 * a group can be run without one. Brokers are stand-ins: marked so, and persistent, since no
 * process is behind them.
 */
public final class ClusterNodes {

  private static final int STAND_IN_PORT = 9092;

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;
  private final Clock clock;

  /** Uses the connection's chroot; does not close it. */
  public ClusterNodes(ZooKeeperConnection connection, Clock clock) {
    this.connection = connection;
    this.client = connection.client();
    this.clock = clock;
  }

  /** Registers stand-in brokers 1 to {@code count} where there is no broker of that id yet. */
  public void ensureBrokers(int count) {
    for (int id = 1; id <= count; id++) {
      if (exists(ZnodePaths.broker(id)).isEmpty()) {
        addBroker(id);
      }
    }
  }

  public void addBroker(int id) {
    String path = ZnodePaths.broker(id);
    byte[] payload =
        new BrokerRegistration("broker-" + id + ".standin", STAND_IN_PORT, clock.millis(), true)
            .encode();
    attempt(path, () -> client.create().creatingParentsIfNeeded().forPath(path, payload));
  }

  public void removeBroker(int id) {
    String path = ZnodePaths.broker(id);
    attempt(path, () -> client.delete().forPath(path));
  }

  /** Ascending. */
  public List<Integer> brokers() {
    return connection.children(ZnodePaths.BROKER_IDS).stream()
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }

  /** Returns false, and writes nothing, if the topic exists. */
  public boolean createTopic(String topic, int partitions) {
    String path = ZnodePaths.topic(topic);
    byte[] payload = TopicPayload.encode(partitions, brokers());
    return attempt(
        path,
        () -> {
          try {
            client.create().creatingParentsIfNeeded().forPath(path, payload);
            return true;
          } catch (KeeperException.NodeExistsException e) {
            return false;
          }
        });
  }

  /** Gives an existing topic that many partitions. One write. */
  public void extendTopic(String topic, int partitions) {
    String path = ZnodePaths.topic(topic);
    byte[] now = attempt(path, () -> client.getData().forPath(path));
    byte[] payload = TopicPayload.extend(path, now, partitions, brokers());
    attempt(path, () -> client.setData().forPath(path, payload));
  }

  /** Writes the payload again as it is: every watcher of the topic is told of nothing. */
  public void touchTopic(String topic) {
    String path = ZnodePaths.topic(topic);
    byte[] now = attempt(path, () -> client.getData().forPath(path));
    attempt(path, () -> client.setData().forPath(path, now));
  }

  /** Returns false if there is no such topic. */
  public boolean deleteTopic(String topic) {
    String path = ZnodePaths.topic(topic);
    return attempt(
        path,
        () -> {
          try {
            client.delete().deletingChildrenIfNeeded().forPath(path);
            return true;
          } catch (KeeperException.NoNodeException e) {
            return false;
          }
        });
  }

  /** Empty if there is no such topic. */
  public Optional<PartitionSet> partitions(String topic) {
    return exists(ZnodePaths.topic(topic))
        .map(payload -> TopicPayload.partitions(ZnodePaths.topic(topic), payload));
  }

  /** With those partitions that can be read. */
  public SortedMap<String, PartitionSet> topics() {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    for (String topic : connection.children(ZnodePaths.BROKER_TOPICS)) {
      String path = ZnodePaths.topic(topic);
      exists(path)
          .ifPresent(
              payload -> topics.put(topic, TopicPayload.readable(path, payload).partitions()));
    }
    return topics;
  }

  /** What kafka 1.1 cannot read of brokers and of these topics, a sentence each. */
  public List<String> unreadable(Collection<String> topics) {
    List<String> unreadable = new ArrayList<>();
    for (String broker : connection.children(ZnodePaths.BROKER_IDS)) {
      check(ZnodePaths.BROKER_IDS + "/" + broker, BrokerRegistration::decode, unreadable);
    }
    for (String topic : topics) {
      check(ZnodePaths.topic(topic), TopicPayload::demandPartitions, unreadable);
    }
    return unreadable;
  }

  private void check(String path, BiFunction<String, byte[], ?> decode, List<String> unreadable) {
    try {
      var unused = exists(path).map(payload -> decode.apply(path, payload));
    } catch (BadPayloadException e) {
      unreadable.add(e.getMessage());
    }
  }

  private Optional<byte[]> exists(String path) {
    return attempt(
        path,
        () -> {
          try {
            byte[] data = client.getData().forPath(path);
            return Optional.of(data == null ? new byte[0] : data);
          } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
          }
        });
  }
}
