package io.rebalancer.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Tag;
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

  /** Nobody is left who could remove it: the server does when it finds itself alone. */
  @Test
  void theDataOfTheEmbeddedServerIsRemovedAlsoWhenTheCommandIsKilled() throws Exception {
    try (CommandLineProcess compare =
        CommandLineProcess.start(folder, "compare", "--members", "3", "--scenario", "crash")) {
      await().atMost(PATIENCE).until(() -> compare.err().contains(": change"));
      List<ProcessHandle> started = compare.handle().descendants().collect(Collectors.toList());
      List<Path> data = dataOf(started);
      assertThat(data).singleElement().satisfies(path -> assertThat(path).isDirectory());

      compare.signal("KILL");

      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(started).noneMatch(ProcessHandle::isAlive);
                assertThat(data.get(0)).doesNotExist();
              });
    }
  }

  /** After what both engines wait for a connection: behind a tag, since that is 40 s. */
  @Test
  @Tag("real")
  void aComparisonWhoseServerDiesSaysSoInOneLine() throws Exception {
    try (CommandLineProcess compare =
        CommandLineProcess.start(folder, "compare", "--members", "3", "--scenario", "crash")) {
      await().atMost(PATIENCE).until(() -> compare.err().contains(": change"));

      compare
          .handle()
          .descendants()
          .filter(process -> !dataOf(List.of(process)).isEmpty())
          .forEach(ProcessHandle::destroyForcibly);

      CommandLineProcess.Finished finished = compare.awaitEnd();
      assertThat(finished.err().lines().filter(line -> line.startsWith("rebalancer: ")))
          .as(finished.err())
          .singleElement()
          .asString()
          .contains("ZooKeeper");
      assertThat(finished.exitCode()).isEqualTo(3);
    }
  }

  /** The argument of the embedded server among {@code processes}. */
  private static List<Path> dataOf(List<ProcessHandle> processes) {
    return processes.stream()
        .flatMap(InterruptIT::arguments)
        .filter(argument -> argument.contains("rebalancer-zookeeper-"))
        .map(Path::of)
        .toList();
  }

  /** From the system itself: Java does not know those of a long command line. */
  private static Stream<String> arguments(ProcessHandle process) {
    try {
      return Arrays.stream(
          Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline")).split("\0"));
    } catch (IOException e) {
      return Arrays.stream(process.info().arguments().orElse(new String[0]));
    }
  }
}
