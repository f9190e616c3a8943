package io.rebalancer.coordinator;

import io.micrometer.core.instrument.MeterRegistry;
import io.rebalancer.coordinator.CoordinatorStartException.Kind;
import io.rebalancer.coordinator.group.GroupRules;
import io.rebalancer.coordinator.group.GroupStateMachine;
import io.rebalancer.coordinator.metrics.CoordinatorMetrics;
import io.rebalancer.coordinator.runtime.GroupMeter;
import io.rebalancer.coordinator.runtime.GroupRuntime;
import io.rebalancer.coordinator.runtime.MemberBytes;
import io.rebalancer.coordinator.runtime.Retention;
import io.rebalancer.coordinator.runtime.StoredGroup;
import io.rebalancer.coordinator.server.CoordinatorServer;
import io.rebalancer.coordinator.server.RequestMeter;
import io.rebalancer.coordinator.server.RequestRouter;
import io.rebalancer.coordinator.store.Holder;
import io.rebalancer.coordinator.store.ZkCoordination;
import io.rebalancer.coordinator.wire.ClusterAnswers;
import io.rebalancer.coordinator.wire.ConsumerBytes;
import io.rebalancer.coordinator.wire.Endpoint;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.SystemScheduler;
import io.rebalancer.core.time.Ticker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A running coordinator. Thread-safe. */
public final class CoordinatorNode implements AutoCloseable {

  private static final int GROUP_LOOPS = 2;
  private static final int NETWORK_LOOPS = 2;
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(2);

  private final CoordinatorServer server;
  private final ZkCoordination zookeeper;
  private final GroupRuntime groups;
  private final SystemScheduler scheduler;
  private final RequestRouter router;
  private final CompletableFuture<Void> takenOver = new CompletableFuture<>();
  private final AtomicBoolean serving = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  private CoordinatorNode(
      CoordinatorConfig config,
      RebalanceObserver observer,
      @Nullable CoordinatorMetrics metrics,
      CoordinatorServer server) {
    this.server = server;
    HostPort told = config.told(server.address().getPort());
    scheduler = new SystemScheduler("coordinator-zookeeper");
    zookeeper =
        new ZkCoordination(
            config.zookeeperConnect(),
            config.zookeeperSessionTimeout(),
            config.nodeId(),
            told.toString(),
            observer,
            Ticker.system(),
            scheduler,
            new Forward());
    groups =
        new GroupRuntime(
            GROUP_LOOPS,
            new GroupStateMachine(rules(config), ConsumerBytes::encode),
            zookeeper.groups(),
            zookeeper.leadership(),
            zookeeper.topics(),
            observer,
            Ticker.system(),
            new MemberBytes(
                ConsumerBytes.PROTOCOL_TYPE, ConsumerBytes::assignment, ConsumerBytes::rack),
            new Retention(
                config.offsetsRetention(),
                config.offsetsRetentionCheckInterval(),
                Clock.systemUTC()),
            metrics == null ? GroupMeter.NONE : metrics);
    router =
        new RequestRouter(
            new ClusterAnswers(
                new Endpoint(config.nodeId(), told.host(), told.port()), this::holder),
            zookeeper.topics(),
            groups,
            GroupRuntime::freshMemberId,
            config.offsetMetadataMaxBytes(),
            Clock.systemUTC(),
            metrics == null ? RequestMeter.NONE : metrics);
  }

  private Optional<Endpoint> holder() {
    return zookeeper.holder().flatMap(CoordinatorNode::endpoint);
  }

  /** Empty for an address that no client could use. */
  private static Optional<Endpoint> endpoint(Holder holder) {
    try {
      HostPort at = HostPort.parse(holder.address());
      return Optional.of(new Endpoint(holder.nodeId(), at.host(), at.port()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static GroupRules rules(CoordinatorConfig config) {
    return new GroupRules(
        (int) config.groupInitialRebalanceDelay().toMillis(),
        (int) config.groupMinSessionTimeout().toMillis(),
        (int) config.groupMaxSessionTimeout().toMillis(),
        config.groupMaxSize(),
        config::optionsOf);
  }

  /** What ZooKeeper tells goes to the groups. */
  private final class Forward implements ZkCoordination.Listener {
    @Override
    public void topicsChanged(Set<String> topics) {
      groups.topicsChanged(topics);
    }

    @Override
    public void restored(Map<GroupId, StoredGroup> found) {
      groups.restore(found, zookeeper.topics().current());
    }

    @Override
    public void standingChanged() {
      groups.standingChanged();
      if (isCoordinating() && serving.compareAndSet(false, true)) {
        server.serve(router);
        takenOver.complete(null);
      }
    }
  }

  /**
   * Binds, takes the groups over and serves them; returns when clients can come. While another
   * coordinator lives it returns as a standby: {@link #isCoordinating} is false, clients are turned
   * away, and once the other is gone, at the latest when its ZooKeeper session has ended, this one
   * takes over.
   *
   * @throws IllegalArgumentException if clients would be told to connect to 0.0.0.0 or ::
   * @throws CoordinatorStartException if the address is taken, or ZooKeeper cannot be reached
   *     within {@code zookeeper.connection.timeout.ms}, or refuses; nothing is left running then
   */
  public static CoordinatorNode start(CoordinatorConfig config, RebalanceObserver observer) {
    return startWith(config, observer, null);
  }

  /**
   * As above.
   *
   * @param registry where the coordinator's meters are registered ({@link CoordinatorMetrics})
   */
  public static CoordinatorNode start(
      CoordinatorConfig config, RebalanceObserver observer, MeterRegistry registry) {
    CoordinatorMetrics metrics = new CoordinatorMetrics(registry);
    return startWith(
        config,
        observation -> {
          metrics.on(observation);
          observer.on(observation);
        },
        metrics);
  }

  private static CoordinatorNode startWith(
      CoordinatorConfig config, RebalanceObserver observer, @Nullable CoordinatorMetrics metrics) {
    config.told(config.listen().port()); // Before anything is bound.
    CoordinatorServer server;
    try {
      server =
          new CoordinatorServer(
              new InetSocketAddress(config.listen().host(), config.listen().port()),
              NETWORK_LOOPS,
              config.socketRequestMaxBytes(),
              config.connectionsMaxIdle());
    } catch (IOException e) {
      throw new CoordinatorStartException(
          Kind.LISTEN, "cannot listen on " + config.listen() + ": " + e.getMessage(), e);
    }
    CoordinatorNode node = new CoordinatorNode(config, observer, metrics, server);
    try {
      if (!node.zookeeper.start(
          config.zookeeperConnectionTimeout(), config.maxZookeeperSession())) {
        server.turnAway();
      }
    } catch (Exception e) {
      node.close();
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new CoordinatorStartException(
          Kind.ZOOKEEPER, "ZooKeeper " + config.zookeeperConnect() + ": " + e.getMessage(), e);
    }
    return node;
  }

  /** Done when it has become the coordinator for the first time; never when it is closed before. */
  public CompletionStage<Void> takenOver() {
    return takenOver.minimalCompletionStage();
  }

  /** Whether it serves groups at the moment, and not as a standby waits for another to go. */
  public boolean isCoordinating() {
    return groups.isCoordinating();
  }

  /** Where it listens, with the port it was given. */
  public InetSocketAddress address() {
    return server.address();
  }

  /**
   * Answers whoever waits with NOT_COORDINATOR, gives the slots back and ends the ZooKeeper
   * session; groups and offsets stay in ZooKeeper. Idempotent.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    zookeeper.resign();
    try {
      groups.settle(DRAIN_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.close();
    zookeeper.close();
    groups.close();
    scheduler.close();
  }
}
