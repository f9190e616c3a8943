package io.rebalancer.it.peers;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Four original consumers settle on the recorded owners, and those are our assignors'. With {@code
 * -Drebalancer.record=true} the record is written anew.
 */
@Tag("real")
class RealReferenceIT {

  private static final boolean RECORD = Boolean.getBoolean("rebalancer.record");
  private static final ReferenceOwners NEW = new ReferenceOwners();

  private static EmbeddedZooKeeper zooKeeper;
  private static StubBrokers brokers;

  @BeforeAll
  static void start() {
    zooKeeper = EmbeddedZooKeeper.start();
    brokers = new StubBrokers(2);
  }

  @AfterAll
  static void stop() throws IOException {
    brokers.close();
    zooKeeper.close();
    if (RECORD) {
      NEW.write(Path.of("src/test/resources"));
    }
  }

  @ParameterizedTest
  @MethodSource("io.rebalancer.it.peers.Cell#all")
  void fourOriginalConsumersSettleOnWhatTheStrategyGivesThem(Cell cell) {
    try (PeerStage stage =
            new PeerStage(zooKeeper.connectString(), cell.name(), brokers.ports(), Cell.TOPICS);
        RealConsumers jvm =
            RealConsumers.start(
                cell.release(),
                RealConsumers.config(stage.connect(), cell.strategy(), Duration.ofSeconds(20)))) {
      ReferenceOwners.NAMES.forEach(name -> jvm.join(name, cell.selection()));
      ReferenceOwners.NAMES.forEach(jvm::awaitDone);

      Map<String, Subscription> members =
          ReferenceOwners.NAMES.stream().collect(toMap(name -> name, name -> cell.subscription()));
      stage.awaitOwners(cell.name(), stage.expectedOwners(cell.assignor(), members));

      SortedMap<TopicPartition, String> owners = stage.owners();
      NEW.put(cell, owners);
      if (!RECORD) {
        assertThat(owners).isEqualTo(ReferenceOwners.recorded().of(cell));
      }
    }
  }
}
