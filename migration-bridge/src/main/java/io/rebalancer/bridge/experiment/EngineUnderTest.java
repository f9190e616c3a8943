package io.rebalancer.bridge.experiment;

import io.rebalancer.bridge.zookeeper.ConnectString;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.Profile;
import io.rebalancer.zk.ZkEngineConfig;
import io.rebalancer.zk.ZkRebalanceEngine;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One of the two engines with all it needs, wired from the parameters of a comparison. */
interface EngineUnderTest extends AutoCloseable {

  String ZK = "zk";
  String COORDINATOR = "coordinator";

  RebalanceEngine engine();

  String protocol();

  @Nullable String profile();

  Scenario.Watching watching();

  /** Paths on which each of its sessions holds a data and a child watch. */
  Set<String> doublyWatched(GroupId group);

  @Override
  void close();

  static EngineUnderTest start(
      String name,
      CompareParameters parameters,
      ConnectString ensemble,
      RebalanceObserver observer) {
    return switch (name) {
      case ZK -> new Zk(parameters, ensemble, observer);
      case COORDINATOR -> new Coordinator(parameters, ensemble, observer);
      default -> throw new IllegalStateException("engine " + name);
    };
  }

  /** Every member with a ZooKeeper session of its own. */
  final class Zk implements EngineUnderTest {

    private final Profile profile;
    private final ZkRebalanceEngine engine;

    Zk(CompareParameters parameters, ConnectString ensemble, RebalanceObserver observer) {
      profile = Profile.parse(parameters.profile());
      engine =
          new ZkRebalanceEngine(
              ZkEngineConfig.defaults(ensemble.toString())
                  .withProfile(profile)
                  .withRebalance(parameters.retries(), Duration.ofMillis(parameters.backoffMs()))
                  .withSessionTimeout(Duration.ofMillis(parameters.sessionMs())),
              observer);
    }

    @Override
    public RebalanceEngine engine() {
      return engine;
    }

    @Override
    public String protocol() {
      return "zookeeper";
    }

    @Override
    public String profile() {
      return profile.toString();
    }

    @Override
    public Scenario.Watching watching() {
      return profile == Profile.DOCUMENTED
          ? Scenario.Watching.EVERY_MEMBER_ALSO_BROKERS
          : Scenario.Watching.EVERY_MEMBER;
    }

    @Override
    public Set<String> doublyWatched(GroupId group) {
      return Set.of(ZnodePaths.ids(group), ZnodePaths.BROKER_IDS);
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  /** A coordinator on a port of its own, and members that know only that port. */
  final class Coordinator implements EngineUnderTest {

    private final CoordinatorNode node;
    private final CoordinatorRebalanceEngine engine;

    Coordinator(CompareParameters parameters, ConnectString ensemble, RebalanceObserver observer) {
      node = CoordinatorNode.start(config(parameters, ensemble), observer);
      engine =
          new CoordinatorRebalanceEngine(
              CoordinatorClientConfig.of(List.of(node.address()))
                  .withSession(
                      Duration.ofMillis(parameters.sessionMs()),
                      Duration.ofMillis(parameters.heartbeatMs())),
              observer);
    }

    /**
     * Members' session timeouts are allowed however short; the coordinator's own ZooKeeper session
     * has to be shorter still.
     */
    private static CoordinatorConfig config(CompareParameters parameters, ConnectString ensemble) {
      CoordinatorConfig defaults =
          CoordinatorConfig.of(ensemble.toString(), new HostPort("127.0.0.1", 0));
      Duration session = Duration.ofMillis(parameters.sessionMs());
      Duration minimum = shorter(defaults.groupMinSessionTimeout(), session);
      return defaults
          .withGroupInitialRebalanceDelay(Duration.ofMillis(parameters.initialDelayMs()))
          .withZookeeperSessionTimeout(
              shorter(defaults.zookeeperSessionTimeout(), minimum.dividedBy(2)))
          .withGroupMinSessionTimeout(minimum);
    }

    private static Duration shorter(Duration a, Duration b) {
      return a.compareTo(b) < 0 ? a : b;
    }

    @Override
    public RebalanceEngine engine() {
      return engine;
    }

    @Override
    public String protocol() {
      return "classic";
    }

    @Override
    public @Nullable String profile() {
      return null;
    }

    @Override
    public Scenario.Watching watching() {
      return Scenario.Watching.COORDINATOR_ONLY;
    }

    @Override
    public Set<String> doublyWatched(GroupId group) {
      return Set.of();
    }

    @Override
    public void close() {
      engine.close();
      node.close();
    }
  }
}
