package io.rebalancer.coordinator;

import io.rebalancer.coordinator.client.CoordinatorClientConfig;
import io.rebalancer.coordinator.client.CoordinatorRebalanceEngine;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.RebalanceEngineContract;
import java.time.Duration;
import java.util.List;

/** The contract of both engines, with a real coordinator on a real ZooKeeper. */
class CoordinatorEngineContractIT extends RebalanceEngineContract {

  private static final Duration SESSION = Duration.ofSeconds(3);

  private Stage stage;

  /** The servers go down with the engine that used them. */
  private record WithServers(RebalanceEngine engine, Stage stage) implements RebalanceEngine {
    @Override
    public String name() {
      return engine.name();
    }

    @Override
    public GroupMember join(MemberConfig config, OwnershipListener listener) {
      return engine.join(config, listener);
    }

    @Override
    public void close() {
      engine.close();
      try {
        stage.close();
      } catch (Exception e) {
        throw new IllegalStateException("closing the servers", e);
      }
    }
  }

  @Override
  protected RebalanceEngine startEngine(RebalanceObserver observer) throws Exception {
    stage = new Stage();
    CoordinatorConfig config =
        stage
            .config()
            .withGroupInitialRebalanceDelay(Duration.ZERO)
            .withZookeeperSessionTimeout(SESSION)
            .withGroupMinSessionTimeout(SESSION);
    stage.node = CoordinatorNode.start(config, observer);
    CoordinatorClientConfig members =
        CoordinatorClientConfig.of(List.of(stage.node.address()))
            .withSession(SESSION, Duration.ofMillis(200));
    return new WithServers(new CoordinatorRebalanceEngine(members, observer), stage);
  }

  @Override
  protected void setPartitions(String topic, int partitions) throws Exception {
    stage.topic(topic, partitions);
  }

  @Override
  protected Duration patience() {
    return Duration.ofSeconds(20);
  }
}
