package io.rebalancer.it.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bad input is answered by one line that names the flag or address, and by the right exit code. */
class BadInputIT {

  @TempDir private Path folder;

  private void demandOneLine(CommandLineProcess.Finished finished, int exitCode, String message) {
    assertThat(finished.err()).isEqualTo("rebalancer: " + message + "\n");
    assertThat(finished.out()).isEmpty();
    assertThat(finished.exitCode()).isEqualTo(exitCode);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          compare --nonsense              ~ Unknown option: '--nonsense' (see rebalancer compare --help)
          compare --members many          ~ Invalid value for option '--members': 'many' is not an int (see rebalancer compare --help)
          compare --members 0             ~ --members: 0 (expected: 1 to 2147483647)
          compare --members -3            ~ --members: -3 (expected: 1 to 2147483647)
          compare --scenario join,jump    ~ --scenario: "jump" (expected: one of join, leave, crash, broker-add, broker-restart, partition-add, rolling-restart)
          compare --engine none           ~ --engine: "none" (expected: one of zk, coordinator)
          compare --profile 2.0           ~ --profile: "2.0" (expected: one of documented, 1.1)
          compare --session-ms 2000       ~ --session-ms: 2000 (expected: more than --heartbeat-ms, 3000)
          compare --zookeeper nowhere     ~ Invalid value for option '--zookeeper': "nowhere" (expected: HOST:PORT[,HOST:PORT...][/chroot]) (see rebalancer compare --help)
          compare --output xml            ~ Invalid value for option '--output': expected one of [table, json] (case-insensitive) but was 'xml' (see rebalancer compare --help)
          topics --zookeeper a:1          ~ Missing required argument (specify one of these): (--create | --list | --alter | --delete) (see rebalancer topics --help)
          topics --zookeeper a:1 --create ~ --topic is missing
          topics --zookeeper a:1 --create --topic a/b --partitions 1 ~ --topic: "a/b" (expected: 1 to 249 ASCII alphanumerics, '.', '_' and '-')
          topics --zookeeper a:1 --create --topic t --partitions 0   ~ --partitions: 0 (expected: 1 to 1000000)
          coordinator --zookeeper a:1 --listen here ~ Invalid value for option '--listen': "here" (expected: HOST:PORT) (see rebalancer coordinator --help)
          """)
  void aFlagThatCannotBeUsedIsNamed(String arguments, String message) throws Exception {
    demandOneLine(CommandLineProcess.run(folder, arguments.split(" ")), 2, message);
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
  void anUnreachableZooKeeperIsNamedByEveryCommand() throws Exception {
    String nobody = "127.0.0.1:" + freePort();
    String message =
        "ZooKeeper " + nobody + " is not reachable: no server answered within 10000 ms";

    try (var compare = CommandLineProcess.start(folder, "compare", "--zookeeper", nobody);
        var topics = CommandLineProcess.start(folder, "topics", "--list", "--zookeeper", nobody);
        var coordinator =
            CommandLineProcess.start(
                folder, "coordinator", "--zookeeper", nobody, "--listen", "127.0.0.1:0")) {
      demandOneLine(compare.awaitEnd(), 3, message);
      demandOneLine(topics.awaitEnd(), 3, message);
      var finished = coordinator.awaitEnd();
      assertThat(finished.err()).startsWith("rebalancer: ").contains(nobody).hasLineCount(1);
      assertThat(finished.exitCode()).isEqualTo(3);
    }
    assertThat(folder.resolve("results")).doesNotExist();
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
