package io.rebalancer.bridge.zookeeper;

import static io.rebalancer.bridge.zookeeper.ZooKeeperConnection.attempt;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.bridge.group.GroupSnapshot;
import io.rebalancer.bridge.group.GroupSnapshot.Owner;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.core.znode.OffsetPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Reads the groups of the historical layout. Nothing is written, and no watch is set. */
public final class GroupNodes {

  /** Where our coordinator keeps its groups (docs/zookeeper-layout.md). */
  private static final String COORDINATED = "/rebalancer/groups/";

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;
  private final ClusterNodes cluster;

  /** Uses the connection's chroot; does not close it. */
  public GroupNodes(ZooKeeperConnection connection, ClusterNodes cluster) {
    this.connection = connection;
    this.client = connection.client();
    this.cluster = cluster;
  }

  /** By name; empty if there is no /consumers. */
  public List<String> groups() {
    return connection.children(ZnodePaths.CONSUMERS).stream().sorted().toList();
  }

  public boolean exists(GroupId group) {
    return exists(ZnodePaths.group(group));
  }

  /** What there is to say of a group that does not {@linkplain #exists(GroupId) exist}. */
  public String absence(GroupId group) {
    return exists(COORDINATED + group)
        ? group
            + " does not exist below /consumers; it is a coordinator's, for kafka-consumer-groups"
            + " --bootstrap-server"
        : group + " does not exist";
  }

  private boolean exists(String path) {
    return attempt(path, () -> Optional.ofNullable(client.checkExists().forPath(path))).isPresent();
  }

  /**
   * Who would be disturbed if the group's nodes were changed: every registered member, and whoever
   * else holds an owner node by a live session.
   */
  public SortedSet<String> liveMembers(GroupId group) {
    SortedSet<String> live = new TreeSet<>(connection.children(ZnodePaths.ids(group)));
    String owners = ZnodePaths.owners(group);
    for (String topic : connection.children(owners)) {
      for (String number : connection.children(owners + "/" + topic)) {
        Stat stat = new Stat();
        data(owners + "/" + topic + "/" + number, stat)
            .filter(payload -> stat.getEphemeralOwner() != 0)
            .ifPresent(payload -> live.add(new Owner(new String(payload, UTF_8)).member()));
      }
    }
    return live;
  }

  /** Empty if there is no such group. */
  public Optional<GroupSnapshot> read(GroupId group) {
    if (!exists(group)) {
      return Optional.empty();
    }
    SortedMap<String, PartitionSet> topics = cluster.topics();
    SortedMap<MemberId, Subscription> members = new TreeMap<>();
    List<String> unreadable = new ArrayList<>();
    for (String id : connection.children(ZnodePaths.ids(group))) {
      MemberId member = new MemberId(id);
      String path = ZnodePaths.id(group, member);
      try {
        data(path)
            .ifPresent(
                payload -> members.put(member, subscription(path, payload, topics.keySet())));
      } catch (BadPayloadException e) {
        unreadable.add(e.getMessage());
      }
    }
    unreadable.addAll(cluster.unreadable(subscribed(members.values())));
    SortedMap<TopicPartition, Owner> owners = new TreeMap<>();
    partitionNodes(ZnodePaths.owners(group))
        .forEach((partition, payload) -> owners.put(partition, new Owner(payload)));
    SortedMap<TopicPartition, Long> offsets = new TreeMap<>();
    partitionNodes(ZnodePaths.offsets(group))
        .forEach(
            (partition, payload) -> {
              try {
                String path = ZnodePaths.offset(group, partition);
                offsets.put(partition, OffsetPayload.decode(path, payload.getBytes(UTF_8)));
              } catch (BadPayloadException e) {
                unreadable.add(e.getMessage());
              }
            });
    return Optional.of(new GroupSnapshot(group, topics, members, unreadable, owners, offsets));
  }

  private static SortedSet<String> subscribed(Collection<Subscription> subscriptions) {
    SortedSet<String> topics = new TreeSet<>();
    subscriptions.forEach(subscription -> topics.addAll(subscription.streams().keySet()));
    return topics;
  }

  private static Subscription subscription(String path, byte[] payload, Set<String> topics) {
    ConsumerRegistration registration = ConsumerRegistration.decode(path, payload);
    return registration.topics() instanceof WildcardSubscription wildcard
        ? wildcard.among(topics, Set.of())
        : (Subscription) registration.topics();
  }

  /** The payloads below {@code root/TOPIC/PARTITION}; names that are no numbers are passed over. */
  private SortedMap<TopicPartition, String> partitionNodes(String root) {
    SortedMap<TopicPartition, String> nodes = new TreeMap<>();
    for (String topic : connection.children(root)) {
      for (String number : connection.children(root + "/" + topic)) {
        if (number.matches("\\d{1,9}")) {
          data(root + "/" + topic + "/" + number)
              .ifPresent(
                  payload ->
                      nodes.put(
                          new TopicPartition(topic, Integer.parseInt(number)),
                          new String(payload, UTF_8)));
        }
      }
    }
    return nodes;
  }

  private Optional<byte[]> data(String path) {
    return data(path, new Stat());
  }

  private Optional<byte[]> data(String path, Stat stat) {
    return attempt(
        path,
        () -> {
          try {
            byte[] data = client.getData().storingStatIn(stat).forPath(path);
            return Optional.of(data == null ? new byte[0] : data);
          } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
          }
        });
  }
}
