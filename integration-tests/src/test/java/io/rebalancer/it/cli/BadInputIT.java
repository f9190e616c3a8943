package io.rebalancer.it.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad input is answered by one line that names the flag or address, and by the right exit code. */
class BadInputIT {

  @TempDir private Path folder;

  private void demandOneLine(CommandLineProcess.Finished finished, int exitCode, String message) {
    assertThat(finished.err()).isEqualTo("rebalancer: " + message + "\n");
    assertThat(finished.out()).isEmpty();
    assertThat(finished.exitCode()).isEqualTo(exitCode);
  }

  @Test
  void aFlagThatCannotBeUsedIsNamedAndNothingIsLeftBehind() throws Exception {
    demandOneLine(
        CommandLineProcess.run(folder, "compare", "--scenario", "jump"),
        2,
        "--scenario: \"jump\" (expected: one of join, leave, crash, broker-add, broker-restart,"
            + " partition-add, rolling-restart, all)");
    assertThat(folder.resolve("results")).doesNotExist();
  }

  @Test
  void moreMembersThanTheMachineHasFilesForIsRefusedWithBothNumbers() throws Exception {
    var finished = CommandLineProcess.run(folder, "compare", "--members", "2000000000");

    assertThat(finished.err())
        .matches(
            "rebalancer: --members: 2000000000 \\(expected: at most \\d+, since this machine"
                + " allows \\d+ open files\\)\n");
    assertThat(finished.exitCode()).isEqualTo(2);
  }

  @Test
  void anOutFolderThatIsNotEmptyIsRefusedAndLeftAlone() throws Exception {
    Path out = Files.createDirectory(folder.resolve("out"));
    Files.writeString(out.resolve("mine.txt"), "mine");

    demandOneLine(
        CommandLineProcess.run(folder, "compare", "--out", "out"),
        2,
        "--out: out exists and is not an empty folder");
    assertThat(out).isDirectoryContaining(file -> file.endsWith("mine.txt"));
  }

  @Test
  void anUnreachableCoordinatorIsNamedWithItsReason() throws Exception {
    String nobody = "127.0.0.1:" + freePort();
    String join = "consumer --engine coordinator --group g --topics t --bootstrap-server ";

    demandOneLine(
        CommandLineProcess.run(folder, (join + nobody).split(" ")),
        3,
        "no coordinator of group g: " + nobody + ": Connection refused");
    demandOneLine(
        CommandLineProcess.run(folder, (join + nobody + ",nosuch.invalid:1").split(" ")),
        3,
        "no coordinator of group g: "
            + nobody
            + ": Connection refused; nosuch.invalid:1: unknown host");
  }

  @Test
  void anUnreachableZooKeeperIsNamedByEveryCommand() throws Exception {
    String nobody = "127.0.0.1:" + freePort();
    String message =
        "ZooKeeper "
            + nobody
            + " is not reachable: no server answered within 10000 ms: "
            + nobody
            + ": Connection refused";

    try (var compare = CommandLineProcess.start(folder, "compare", "--zookeeper", nobody);
        var topics = CommandLineProcess.start(folder, "topics", "--list", "--zookeeper", nobody);
        var coordinator =
            CommandLineProcess.start(
                folder, "coordinator", "--zookeeper", nobody, "--listen", "127.0.0.1:0")) {
      demandOneLine(compare.awaitEnd(), 3, message);
      demandOneLine(topics.awaitEnd(), 3, message);
      demandOneLine(
          coordinator.awaitEnd(),
          3,
          "ZooKeeper "
              + nobody
              + ": no connection within 5000 ms: "
              + nobody
              + ": Connection refused");
    }
    assertThat(folder.resolve("results")).doesNotExist();
  }

  @Test
  void dataThatZooKeeperCannotReadEndsTheCommandAndItsServer() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.createFile(data.resolve("version-2"));
    List<ProcessHandle> servers = new ArrayList<>();

    try (var coordinator =
        CommandLineProcess.start(
            folder, "coordinator", "--data-dir", data.toString(), "--listen", "127.0.0.1:0")) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> coordinator.handle().children().peek(servers::add).count() > 0);
      var finished = coordinator.awaitEnd();

      assertThat(finished.err())
          .startsWith("rebalancer: cannot use " + data + " for ZooKeeper's data: ZooKeeper: ")
          .hasLineCount(1)
          .doesNotContain("Exception");
      assertThat(finished.out()).isEmpty();
      assertThat(finished.exitCode()).isEqualTo(2);
    }
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(servers).noneMatch(ProcessHandle::isAlive));
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String address = "127.0.0.1:" + taken.getLocalPort();

      var finished =
          CommandLineProcess.run(
              folder, "coordinator", "--zookeeper", zooKeeper.connectString(), "--listen", address);

      assertThat(finished.err()).startsWith("rebalancer: ").contains(address).hasLineCount(1);
      assertThat(finished.out()).isEmpty();
      assertThat(finished.exitCode()).isEqualTo(3);
    }
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }
}
