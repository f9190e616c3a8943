package io.rebalancer.bridge.zookeeper;

import static io.rebalancer.bridge.zookeeper.ZooKeeperConnection.attempt;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.group.OffsetChange;
import io.rebalancer.bridge.group.StoredOffsets;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.OffsetPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** Reads and changes what a group has committed in ZooKeeper. */
public final class OffsetNodes {

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;

  /** Uses the connection's chroot; does not close it. */
  public OffsetNodes(ZooKeeperConnection connection) {
    this.connection = connection;
    this.client = connection.client();
  }

  /** Nothing if the group has never committed, or does not exist. */
  public StoredOffsets read(GroupId group) {
    SortedMap<TopicPartition, StoredOffsets.Node> nodes = new TreeMap<>();
    List<String> unreadable = new ArrayList<>();
    String root = ZnodePaths.offsets(group);
    for (String topic : connection.children(root)) {
      for (String number : connection.children(root + "/" + topic)) {
        String path = root + "/" + topic + "/" + number;
        if (number.matches("0|[1-9]\\d{0,8}")) {
          TopicPartition partition = new TopicPartition(topic, Integer.parseInt(number));
          node(path, unreadable).ifPresent(node -> nodes.put(partition, node));
        } else {
          unreadable.add(path + ": \"" + number + "\" (expected: a partition's number)");
        }
      }
    }
    return new StoredOffsets(nodes, unreadable);
  }

  /** Empty if it has been deleted since it was listed. */
  private Optional<StoredOffsets.Node> node(String path, List<String> unreadable) {
    return attempt(
        path,
        () -> {
          Stat stat = new Stat();
          try {
            byte[] payload = client.getData().storingStatIn(stat).forPath(path);
            return Optional.of(decode(path, payload, stat.getVersion(), unreadable));
          } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
          }
        });
  }

  private static StoredOffsets.Node decode(
      String path, byte @Nullable [] payload, int version, List<String> unreadable) {
    String text = payload == null ? "" : new String(payload, UTF_8);
    try {
      long offset = OffsetPayload.decode(path, payload);
      if (offset >= -1) {
        return new StoredOffsets.Node(text, offset, version);
      }
      unreadable.add(path + ": \"" + text + "\" (expected: an offset of at least -1)");
    } catch (BadPayloadException e) {
      unreadable.add(e.getMessage());
    }
    return new StoredOffsets.Node(text, null, version);
  }

  /**
   * Carries out one change if the node still is as it was read; returns false, and writes nothing,
   * if it is not.
   */
  public boolean apply(GroupId group, OffsetChange change) {
    String path = ZnodePaths.offset(group, change.partition());
    StoredOffsets.Node before = change.before();
    Long after = change.after();
    return attempt(
        path,
        () -> {
          try {
            if (after == null) {
              if (before != null) {
                client.delete().withVersion(before.version()).forPath(path);
              }
            } else if (before == null) {
              create(path, OffsetPayload.encode(after));
            } else {
              client
                  .setData()
                  .withVersion(before.version())
                  .forPath(path, OffsetPayload.encode(after));
            }
            return true;
          } catch (KeeperException.BadVersionException
              | KeeperException.NodeExistsException
              | KeeperException.NoNodeException e) {
            return false;
          }
        });
  }

  /**
   * Its parents without a payload, as the original has them ({@code ZkUtils.updatePersistentPath}).
   */
  private void create(String path, byte @Nullable [] payload) throws Exception {
    try {
      client.create().forPath(path, payload);
    } catch (KeeperException.NoNodeException e) {
      String parent = path.substring(0, path.lastIndexOf('/'));
      try {
        create(parent, null);
      } catch (KeeperException.NodeExistsException made) {
        // By another, since.
      }
      client.create().forPath(path, payload);
    }
  }
}
