package io.rebalancer.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in the middle of a comparison: exit code 130, and nothing is left behind. */
class InterruptIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path folder;

  @Test
  void theZnodesOnAForeignEnsembleAreRemoved() throws Exception {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        CuratorFramework client =
            CuratorFrameworkFactory.newClient(zooKeeper.connectString(), new RetryOneTime(100))) {
      client.start();
      client.create().forPath("/theirs", new byte[0]);
      try (CommandLineProcess compare =
          CommandLineProcess.start(
              folder,
              "compare",
              "--zookeeper",
              zooKeeper.connectString() + "/theirs/below",
              "--members",
              "3",
              "--scenario",
              "crash")) {
        await().atMost(PATIENCE).until(() -> compare.err().contains(": change"));
        assertThat(client.getChildren().forPath("/theirs/below")).hasSize(1);

        compare.signal("INT");

        assertThat(compare.awaitEnd().exitCode()).isEqualTo(130);
        assertThat(compare.out()).isEmpty();
        assertThat(compare.err()).doesNotContain("Exception");
      }
      assertThat(client.getChildren().forPath("/theirs")).isEmpty();
      assertThat(client.getChildren().forPath("/"))
          .containsExactlyInAnyOrder("theirs", "zookeeper");
    }
  }

  @Test
  void theEmbeddedServerIsStopped() throws Exception {
    try (CommandLineProcess compare =
        CommandLineProcess.start(folder, "compare", "--members", "3", "--scenario", "crash")) {
      await().atMost(PATIENCE).until(() -> compare.err().contains(": change"));
      List<ProcessHandle> started = compare.handle().descendants().collect(Collectors.toList());
      assertThat(started).isNotEmpty();

      for (ProcessHandle process : started) {
        CommandLineProcess.signal(process, "INT"); // As a terminal does, to the whole command.
      }
      compare.signal("INT");

      assertThat(compare.awaitEnd().exitCode()).isEqualTo(130);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(started).noneMatch(ProcessHandle::isAlive));
      assertThat(compare.err()).doesNotContain("Exception");
    }
  }
}
