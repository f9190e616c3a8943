package io.rebalancer.coordinator;

import static java.util.Objects.requireNonNull;

import io.rebalancer.coordinator.group.GroupOptions;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.znode.EnsembleAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A coordinator's settings. Messages use Kafka's key names, where Kafka has them.
 *
 * @param zookeeperConnect {@code zookeeper.connect}: HOST:PORT[,HOST:PORT...][/chroot]
 * @param listen where to listen; port 0 takes a free one
 * @param advertised the address told to clients; the listening one when empty
 * @param nodeId by which the protocol names this coordinator; at least 1,000,000,000, so that it is
 *     no broker's
 * @param zookeeperSessionTimeout {@code zookeeper.session.timeout.ms}
 * @param zookeeperConnectionTimeout {@code zookeeper.connection.timeout.ms}: how long to wait for
 *     ZooKeeper at the start
 * @param groupInitialRebalanceDelay {@code group.initial.rebalance.delay.ms}
 * @param groupMinSessionTimeout {@code group.min.session.timeout.ms}
 * @param groupMaxSessionTimeout {@code group.max.session.timeout.ms}
 * @param groupMaxSize {@code group.max.size}
 * @param offsetMetadataMaxBytes {@code offset.metadata.max.bytes}
 * @param offsetsRetention {@code offsets.retention.minutes}: how long positions outlive the last
 *     member of their group, or the last commit where there are no members
 * @param offsetsRetentionCheckInterval {@code offsets.retention.check.interval.ms}
 * @param socketRequestMaxBytes {@code socket.request.max.bytes}: a longer request ends its
 *     connection
 * @param connectionsMaxIdle {@code connections.max.idle.ms}: after so long without a byte either
 *     way a connection is closed, unless an answer is awaited on it
 * @param groupAssignment of every group that has none of its own in {@code groups}
 * @param groups by group id
 */
public record CoordinatorConfig(
    String zookeeperConnect,
    HostPort listen,
    Optional<HostPort> advertised,
    int nodeId,
    Duration zookeeperSessionTimeout,
    Duration zookeeperConnectionTimeout,
    Duration groupInitialRebalanceDelay,
    Duration groupMinSessionTimeout,
    Duration groupMaxSessionTimeout,
    int groupMaxSize,
    int offsetMetadataMaxBytes,
    Duration offsetsRetention,
    Duration offsetsRetentionCheckInterval,
    int socketRequestMaxBytes,
    Duration connectionsMaxIdle,
    GroupAssignmentConfig groupAssignment,
    Map<String, GroupAssignmentConfig> groups) {

  /** What a lease is short of a member session at least. */
  static final Duration LEASE_MARGIN = Duration.ofMillis(500);

  private static final int FIRST_NODE_ID = 1_000_000_000;

  /** Throws {@link IllegalArgumentException} that names the key and its value. */
  public CoordinatorConfig {
    requireNonNull(listen, "listen");
    requireNonNull(advertised, "advertised");
    requireNonNull(groupAssignment, "groupAssignment");
    groups = Map.copyOf(groups);
    check(!zookeeperConnect.isBlank(), "zookeeper.connect", "\"\"", "HOST:PORT[/chroot]");
    EnsembleAddress.demand("zookeeper.connect", zookeeperConnect);
    check(nodeId >= FIRST_NODE_ID, "node.id", nodeId, ">= " + FIRST_NODE_ID);
    check(
        isPositive(zookeeperSessionTimeout),
        "zookeeper.session.timeout.ms",
        ms(zookeeperSessionTimeout),
        "> 0");
    check(
        isPositive(zookeeperConnectionTimeout),
        "zookeeper.connection.timeout.ms",
        ms(zookeeperConnectionTimeout),
        "> 0");
    check(
        !groupInitialRebalanceDelay.isNegative() && fits(groupInitialRebalanceDelay),
        "group.initial.rebalance.delay.ms",
        ms(groupInitialRebalanceDelay),
        ">= 0");
    check(
        isPositive(groupMinSessionTimeout),
        "group.min.session.timeout.ms",
        ms(groupMinSessionTimeout),
        "> 0");
    check(
        groupMaxSessionTimeout.compareTo(groupMinSessionTimeout) >= 0
            && fits(groupMaxSessionTimeout),
        "group.max.session.timeout.ms",
        ms(groupMaxSessionTimeout),
        ">= group.min.session.timeout.ms " + ms(groupMinSessionTimeout));
    check(groupMaxSize >= 1, "group.max.size", groupMaxSize, ">= 1");
    check(offsetMetadataMaxBytes >= 0, "offset.metadata.max.bytes", offsetMetadataMaxBytes, ">= 0");
    check(
        offsetsRetention.toMillis() > 0,
        "offsets.retention.minutes",
        offsetsRetention.toMinutes(),
        ">= 1");
    check(
        isPositive(offsetsRetentionCheckInterval),
        "offsets.retention.check.interval.ms",
        ms(offsetsRetentionCheckInterval),
        "> 0");
    check(
        socketRequestMaxBytes >= 1024,
        "socket.request.max.bytes",
        socketRequestMaxBytes,
        ">= 1024");
    check(isPositive(connectionsMaxIdle), "connections.max.idle.ms", ms(connectionsMaxIdle), "> 0");
    // A member that is silent for its whole session must not have been kept by a coordinator that
    // is none any more.
    Duration lease = zookeeperSessionTimeout.multipliedBy(2).dividedBy(3);
    check(
        lease.plus(LEASE_MARGIN).compareTo(groupMinSessionTimeout) < 0,
        "group.min.session.timeout.ms",
        ms(groupMinSessionTimeout),
        "> 2/3 of zookeeper.session.timeout.ms "
            + ms(zookeeperSessionTimeout)
            + " + "
            + ms(LEASE_MARGIN));
  }

  /** Kafka's defaults for everything else; ZooKeeper session 6 s, wait for ZooKeeper 5 s. */
  public static CoordinatorConfig of(String zookeeperConnect, HostPort listen) {
    return new CoordinatorConfig(
        zookeeperConnect,
        listen,
        Optional.empty(),
        FIRST_NODE_ID,
        Duration.ofMillis(6_000),
        Duration.ofMillis(5_000),
        Duration.ofMillis(3_000),
        Duration.ofMillis(6_000),
        Duration.ofMillis(1_800_000),
        Integer.MAX_VALUE,
        4_096,
        Duration.ofMinutes(10_080),
        Duration.ofMillis(600_000),
        104_857_600,
        Duration.ofMillis(600_000),
        GroupAssignmentConfig.CLASSIC,
        Map.of());
  }

  public CoordinatorConfig withZookeeperConnect(String ensemble) {
    Fields copy = new Fields(this);
    copy.zookeeperConnect = ensemble;
    return copy.config();
  }

  /** The address told to clients. */
  public CoordinatorConfig withAdvertised(HostPort address) {
    Fields copy = new Fields(this);
    copy.advertised = Optional.of(address);
    return copy.config();
  }

  public CoordinatorConfig withZookeeperSessionTimeout(Duration timeout) {
    Fields copy = new Fields(this);
    copy.zookeeperSessionTimeout = timeout;
    return copy.config();
  }

  public CoordinatorConfig withGroupInitialRebalanceDelay(Duration delay) {
    Fields copy = new Fields(this);
    copy.groupInitialRebalanceDelay = delay;
    return copy.config();
  }

  public CoordinatorConfig withGroupMinSessionTimeout(Duration timeout) {
    Fields copy = new Fields(this);
    copy.groupMinSessionTimeout = timeout;
    return copy.config();
  }

  /** How long unneeded positions are kept, and how often it is looked for them. */
  public CoordinatorConfig withOffsetsRetention(Duration retention, Duration checkInterval) {
    Fields copy = new Fields(this);
    copy.offsetsRetention = retention;
    copy.offsetsRetentionCheckInterval = checkInterval;
    return copy.config();
  }

  public CoordinatorConfig withConnectionsMaxIdle(Duration idle) {
    Fields copy = new Fields(this);
    copy.connectionsMaxIdle = idle;
    return copy.config();
  }

  /** For every group that has nothing else. */
  public CoordinatorConfig withGroupAssignment(GroupAssignmentConfig assignment) {
    Fields copy = new Fields(this);
    copy.groupAssignment = assignment;
    return copy.config();
  }

  GroupOptions optionsOf(GroupId group) {
    return groups.getOrDefault(group.value(), groupAssignment).options();
  }

  /**
   * What clients are told to connect to.
   *
   * @param port on which it listens
   * @throws IllegalArgumentException for an address that means every interface of this machine, and
   *     to a client its own (as KafkaConfig of 4.4.0 refuses 0.0.0.0)
   */
  HostPort told(int port) {
    HostPort told = advertised.orElseGet(() -> new HostPort(listen.host(), port));
    check(
        !told.isAnyAddress(),
        "advertised.listeners",
        advertised.isPresent() ? told : "that of listeners, " + told.host(),
        "a HOST:PORT that clients can connect to");
    return told;
  }

  /** The longest ZooKeeper session that leaves members a coordinator until they expire. */
  Duration maxZookeeperSession() {
    return groupMinSessionTimeout.minus(LEASE_MARGIN).multipliedBy(3).dividedBy(2);
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero() && fits(duration);
  }

  private static boolean fits(Duration duration) {
    return duration.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) <= 0;
  }

  private static String ms(Duration duration) {
    return Long.toString(duration.toMillis());
  }

  private static void check(boolean valid, String key, Object value, String expected) {
    if (!valid) {
      throw new IllegalArgumentException(key + ": " + value + " (expected: " + expected + ")");
    }
  }

  /** For copies in which something is another. */
  private static final class Fields {
    private String zookeeperConnect;
    private HostPort listen;
    private Optional<HostPort> advertised;
    private int nodeId;
    private Duration zookeeperSessionTimeout;
    private Duration zookeeperConnectionTimeout;
    private Duration groupInitialRebalanceDelay;
    private Duration groupMinSessionTimeout;
    private Duration groupMaxSessionTimeout;
    private int groupMaxSize;
    private int offsetMetadataMaxBytes;
    private Duration offsetsRetention;
    private Duration offsetsRetentionCheckInterval;
    private int socketRequestMaxBytes;
    private Duration connectionsMaxIdle;
    private GroupAssignmentConfig groupAssignment;
    private Map<String, GroupAssignmentConfig> groups;

    Fields(CoordinatorConfig from) {
      zookeeperConnect = from.zookeeperConnect;
      listen = from.listen;
      advertised = from.advertised;
      nodeId = from.nodeId;
      zookeeperSessionTimeout = from.zookeeperSessionTimeout;
      zookeeperConnectionTimeout = from.zookeeperConnectionTimeout;
      groupInitialRebalanceDelay = from.groupInitialRebalanceDelay;
      groupMinSessionTimeout = from.groupMinSessionTimeout;
      groupMaxSessionTimeout = from.groupMaxSessionTimeout;
      groupMaxSize = from.groupMaxSize;
      offsetMetadataMaxBytes = from.offsetMetadataMaxBytes;
      offsetsRetention = from.offsetsRetention;
      offsetsRetentionCheckInterval = from.offsetsRetentionCheckInterval;
      socketRequestMaxBytes = from.socketRequestMaxBytes;
      connectionsMaxIdle = from.connectionsMaxIdle;
      groupAssignment = from.groupAssignment;
      groups = from.groups;
    }

    CoordinatorConfig config() {
      return new CoordinatorConfig(
          zookeeperConnect,
          listen,
          advertised,
          nodeId,
          zookeeperSessionTimeout,
          zookeeperConnectionTimeout,
          groupInitialRebalanceDelay,
          groupMinSessionTimeout,
          groupMaxSessionTimeout,
          groupMaxSize,
          offsetMetadataMaxBytes,
          offsetsRetention,
          offsetsRetentionCheckInterval,
          socketRequestMaxBytes,
          connectionsMaxIdle,
          groupAssignment,
          groups);
    }
  }
}
