package io.rebalancer.zk.registry;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.protocol.GroupView;
import io.rebalancer.zk.runtime.GroupRegistry;
import io.rebalancer.zk.runtime.RegistryException;
import io.rebalancer.zk.runtime.WatchTarget;
import io.rebalancer.zk.runtime.Witness;
import io.rebalancer.zk.security.SecureHandles;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** One consumer's ZooKeeper session, held by a CuratorFramework of its own. */
public final class CuratorGroupRegistry implements GroupRegistry {

  /** How long a close waits for ZooKeeper's threads, so that every event has been delivered. */
  private static final int CLOSE_WAIT_MS = 5_000;

  /** A session timeout below that may be why no connection comes about. */
  private static final Duration HASTY = Duration.ofMillis(500);

  private final String connect;
  private final GroupId group;
  private final Duration sessionTimeout;
  private final Duration connectionTimeout;
  private final RegistryRules rules;
  private final SecureHandles handles;
  private final SessionWatch session;
  private final CuratorFramework client;
  private final Znodes znodes;
  private final ConsumerNodes consumers;
  private final OwnerNodes owners;
  private final OffsetNodes offsets;
  private volatile @Nullable Deliveries deliveries;

  /** Sends nothing before {@link #connect}. */
  public CuratorGroupRegistry(
      String connect,
      Duration sessionTimeout,
      Duration connectionTimeout,
      GroupId group,
      MemberId self,
      RegistryRules rules,
      ZkSecurity security,
      Witness witness) {
    this.connect = connect;
    this.group = group;
    this.sessionTimeout = sessionTimeout;
    this.connectionTimeout = connectionTimeout;
    this.rules = rules;
    this.handles = new SecureHandles(security);
    this.session = new SessionWatch(handles, witness, rules.strict(), new SessionListener());
    this.client = newClient();
    this.znodes =
        new Znodes(
            client,
            new Requests(session, witness),
            new CountingWatcher(witness, this::onWatchEvent),
            handles);
    Unreadable unreadable = new Unreadable(self, witness);
    this.consumers = new ConsumerNodes(connect, znodes, group, self, rules, unreadable);
    this.owners = new OwnerNodes(znodes, group, rules.strict(), session::sessionId);
    this.offsets = new OffsetNodes(znodes, group, owners, rules.strict(), unreadable, witness);
  }

  private CuratorFramework newClient() {
    int sessionMs = Math.toIntExact(sessionTimeout.toMillis());
    int connectionMs = Math.toIntExact(connectionTimeout.toMillis());
    return CuratorFrameworkFactory.builder()
        .connectString(connect)
        .sessionTimeoutMs(sessionMs)
        .connectionTimeoutMs(Math.min(sessionMs, connectionMs)) // It warns of a longer one.
        .waitForShutdownTimeoutMs(CLOSE_WAIT_MS)
        .retryPolicy((count, elapsedMs, sleeper) -> false) // Requests repeats, and counts.
        .ensembleTracker(false) // No watch of Curator's own on /zookeeper/config.
        .zookeeperFactory(session)
        .build();
  }

  @Override
  public void connect(Deliveries next) {
    deliveries = requireNonNull(next, "next");
    try {
      handles.demandUsable();
    } catch (IllegalArgumentException e) {
      throw new RegistryException(String.valueOf(e.getMessage()), e);
    }
    client.start();
    try {
      Optional<String> wrong = handles.awaitConnected(client, connect, connectionTimeout);
      if (wrong.isPresent()) {
        throw new RegistryException(
            "zookeeper.connect: "
                + connect
                + " not reached within "
                + connectionTimeout.toMillis()
                + " ms"
                + wrong.get()
                + hint(),
            null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryException("zookeeper.connect: " + connect + ": interrupted", e);
    }
  }

  /** ZooKeeper's client gives each server its share of the session timeout to connect in. */
  private String hint() {
    return sessionTimeout.compareTo(HASTY) < 0
        ? "; zookeeper.session.timeout.ms: "
            + sessionTimeout.toMillis()
            + " leaves no server more than that to connect in"
        : "";
  }

  private final class SessionListener implements SessionWatch.Listener {
    @Override
    public void onRenewed() {
      Deliveries next = deliveries;
      if (next != null) {
        next.onSessionRenewed();
      }
    }

    @Override
    public void onResumed() {
      Deliveries next = deliveries;
      if (next != null) {
        next.onWatchesGone();
      }
    }

    @Override
    public void onDisconnected(long lapsesAtNanos) {
      Deliveries next = deliveries;
      if (next != null) {
        next.onDisconnected(lapsesAtNanos);
      }
    }
  }

  /** For tests, which tell it what ZooKeeper's client might. */
  SessionWatch session() {
    return session;
  }

  @Override
  public void lapsesOn(Thread thread) {
    session.lapsesOn(thread);
  }

  @Override
  public boolean takeLapse() {
    return session.takeLapse();
  }

  /**
   * zkclient: listeners of children hear of all but data changes, those of data of all but
   * children's.
   */
  private void onWatchEvent(WatchedEvent event) {
    Deliveries next = deliveries;
    String path = event.getPath();
    if (next == null || path == null) {
      return;
    }
    if (path.equals(ZnodePaths.ids(group))) {
      if (event.getType() != EventType.NodeDataChanged) {
        next.onFired(WatchTarget.MEMBERS);
      }
    } else if (path.equals(ZnodePaths.BROKER_IDS)) {
      if (event.getType() != EventType.NodeDataChanged) {
        next.onFired(WatchTarget.BROKERS);
      }
    } else if (path.equals(ZnodePaths.BROKER_TOPICS)) {
      if (event.getType() != EventType.NodeDataChanged) {
        next.onFired(WatchTarget.TOPICS);
      }
    } else if (path.startsWith(ZnodePaths.ids(group) + "/")) {
      if (event.getType() == EventType.NodeDeleted) {
        znodes.unwatch(path);
      }
      next.onFired(WatchTarget.MEMBERS);
    } else {
      String topic = path.substring(ZnodePaths.BROKER_TOPICS.length() + 1);
      if (rules.topicChildren() && event.getType() != EventType.NodeDataChanged) {
        next.onFired(WatchTarget.topicChildren(topic));
      } else if (!rules.topicChildren() && event.getType() != EventType.NodeChildrenChanged) {
        next.onFired(WatchTarget.topic(topic));
      }
    }
  }

  @Override
  public Duration grantedSession() {
    return session.granted();
  }

  @Override
  public Optional<String> register(ConsumerRegistration registration) {
    return consumers.register(registration, session::sessionId);
  }

  @Override
  public Sighting watch(WatchTarget target) {
    String path = path(target);
    if (target.equals(WatchTarget.TOPICS) && !znodes.isWatched(path) && !znodes.exists(path)) {
      znodes.createWithParents(path);
    }
    znodes.watch(path);
    Optional<Stat> found = znodes.stat(path);
    return target.children()
        ? sighting(path, znodes.listing(path).map(Znodes.Listing::stat), true)
        : sighting(path, found, false);
  }

  @Override
  public Sighting rearm(WatchTarget target) {
    String path = path(target);
    znodes.exists(path);
    return sighting(
        path,
        target.children()
            ? znodes.listing(path).map(Znodes.Listing::stat)
            : znodes.data(path).map(Znodes.Node::stat),
        target.children());
  }

  private static Sighting sighting(String path, Optional<Stat> found, boolean children) {
    return found
        .map(
            stat ->
                new Sighting(
                    path, true, stat.getCzxid(), children ? stat.getPzxid() : stat.getMzxid()))
        .orElse(new Sighting(path, false, 0, 0));
  }

  private String path(WatchTarget target) {
    if (!target.topic().isEmpty()) {
      return ZnodePaths.topic(target.topic());
    }
    if (target.equals(WatchTarget.TOPICS)) {
      return ZnodePaths.BROKER_TOPICS;
    }
    return target.equals(WatchTarget.MEMBERS) ? ZnodePaths.ids(group) : ZnodePaths.BROKER_IDS;
  }

  @Override
  public List<String> listTopics() {
    return consumers.listTopics();
  }

  @Override
  public OptionalInt readBrokers() {
    return consumers.readBrokers(session::sessionId);
  }

  @Override
  public GroupView readGroup() {
    return consumers.readGroup();
  }

  @Override
  public OptionalLong readOffset(TopicPartition partition) {
    return offsets.read(partition);
  }

  @Override
  public OptionalLong checkpoint(TopicPartition partition) {
    return offsets.checkpoint(partition);
  }

  @Override
  public boolean writeOffset(TopicPartition partition, long offset) {
    return offsets.write(partition, offset);
  }

  @Override
  public Claim claim(TopicPartition partition, ThreadId thread) {
    return owners.claim(partition, thread);
  }

  @Override
  public void release(TopicPartition partition, FencingToken token) {
    owners.release(partition, token);
  }

  @Override
  public void stopWaiting() {
    session.stopWaiting();
  }

  @Override
  public void close() {
    session.stopWaiting();
    client.close();
  }

  @Override
  public void crash() {
    session.crash();
    client.close(); // The handle is dead: nothing is sent.
  }
}
