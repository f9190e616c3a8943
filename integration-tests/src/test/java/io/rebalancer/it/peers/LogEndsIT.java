package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.it.cli.CommandLineProcess;
import io.rebalancer.it.cli.CommandLineProcess.Finished;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --bootstrap-server} with brokers of today's clients, and with one that is too old. */
@Tag("real")
class LogEndsIT {

  @TempDir private Path folder;

  @Test
  void aBrokerOfKafka392InZooKeeperModeSaysWhereItsLogsBeginAndEnd() throws Exception {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        PeerStage stage = new PeerStage(zooKeeper.connectString(), "new", List.of(), Map.of());
        RealBroker broker =
            RealBroker.start("3.9.2", stage.connect(), () -> !stage.brokers().isEmpty())) {
      stage.createTopic("t", 3);
      broker.produce("t", List.of(3, 1, 0));
      commit(stage, "/consumers/g/offsets/t/0:2\n/consumers/g/offsets/t/1:5\n");
      String at = " --bootstrap-server " + broker.address();

      assertThat(run(stage, "groups --describe --group g" + at))
          .isEqualTo(
              new Finished(
                  0,
                  """
                  GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID
                  g      t      0          2               3               1    -            -     -
                  g      t      1          5               1               -4   -            -     -
                  """,
                  ""));
      assertThat(run(stage, "offsets reset --group g --topic t --to-earliest --execute" + at).out())
          .isEqualTo(
              """
              GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
              g      t      0          2               0
              g      t      1          5               0
              g      t      2          -               0
              g: 3 of 3 offsets changed
              """);
      assertThat(run(stage, "offsets reset --group g --topic t:0,1 --shift-by 2 --execute" + at))
          .isEqualTo(
              new Finished(
                  0,
                  """
                  GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET
                  g      t      0          0               2
                  g      t      1          0               1
                  g: 2 of 2 offsets changed
                  """,
                  "rebalancer: t-1: 2 is beyond its log, taken is 1\n"));
    }
  }

  @Test
  void aBrokerOfKafka0822IsTooOldToBeAsked() throws Exception {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        PeerStage stage = new PeerStage(zooKeeper.connectString(), "old", List.of(), Map.of());
        RealBroker broker =
            RealBroker.start("0.8.2.2", stage.connect(), () -> !stage.brokers().isEmpty())) {
      stage.createTopic("t", 1);
      commit(stage, "/consumers/g/offsets/t/0:2\n");

      assertThat(run(stage, "groups --describe --group g --bootstrap-server " + broker.address()))
          .isEqualTo(
              new Finished(
                  3,
                  "",
                  "rebalancer: Kafka "
                      + broker.address()
                      + " is not reachable: no broker of kafka 2.1 or later answered within 10000"
                      + " ms\n"));
    }
  }

  private void commit(PeerStage stage, String lines) throws Exception {
    Path file = Files.writeString(folder.resolve("offsets.txt"), lines);
    assertThat(run(stage, "offsets import --execute --group g --input-file " + file).exitCode())
        .isZero();
  }

  private Finished run(PeerStage stage, String command) throws Exception {
    return CommandLineProcess.run(folder, (command + " --zookeeper " + stage.connect()).split(" "));
  }
}
