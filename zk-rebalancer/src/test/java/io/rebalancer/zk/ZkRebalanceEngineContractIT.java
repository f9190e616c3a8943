package io.rebalancer.zk;

import io.rebalancer.core.engine.RebalanceEngine;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.RebalanceEngineContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

class ZkRebalanceEngineContractIT extends RebalanceEngineContract {

  private Stage stage;

  @AfterEach
  void closeStage() throws Exception {
    stage.close();
  }

  @Override
  protected RebalanceEngine startEngine(RebalanceObserver observer) throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1);
    return new ZkRebalanceEngine(stage.config, observer);
  }

  @Override
  protected void setPartitions(String topic, int partitions) throws Exception {
    stage.topic(topic, partitions);
  }

  @Override
  protected Duration patience() {
    return Stage.SETTLE;
  }
}
