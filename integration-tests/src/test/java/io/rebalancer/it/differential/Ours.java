package io.rebalancer.it.differential;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.coordinator.CoordinatorConfig;
import io.rebalancer.coordinator.CoordinatorNode;
import io.rebalancer.coordinator.HostPort;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Our coordinator with a ZooKeeper of its own, set up like {@link KafkaBroker}. */
final class Ours implements AutoCloseable {

  private final EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
  private final CoordinatorNode node;
  private final Target target;

  Ours() throws Exception {
    this(KafkaBroker.INITIAL_DELAY);
  }

  Ours(Duration initialDelay) throws Exception {
    this(Duration.ofMillis(1_000), KafkaBroker.MIN_SESSION, initialDelay);
  }

  Ours(Duration zooKeeperSession, Duration minSession, Duration initialDelay) throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(zooKeeper.connectString(), new RetryOneTime(100))) {
      client.start();
      client
          .create()
          .creatingParentsIfNeeded()
          .forPath(
              ZnodePaths.topic(Target.TOPIC), TopicPayload.encode(Target.PARTITIONS, List.of(1)));
    }
    CoordinatorConfig config =
        CoordinatorConfig.of(zooKeeper.connectString(), new HostPort("127.0.0.1", 0))
            .withZookeeperSessionTimeout(zooKeeperSession)
            .withGroupInitialRebalanceDelay(initialDelay)
            .withGroupMinSessionTimeout(minSession);
    node = CoordinatorNode.start(config, RebalanceObserver.none());
    target = KafkaBroker.target("ours", "127.0.0.1:" + node.address().getPort());
  }

  Target target() {
    return target;
  }

  @Override
  public void close() throws Exception {
    node.close();
    zooKeeper.close();
  }
}
