package io.rebalancer.bridge.zookeeper;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.runtime.UnusableFileException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EmbeddedZooKeeperIT {

  @TempDir private Path folder;

  private static void demandRefused(Path data, String reason) {
    long before = ProcessHandle.current().children().count();

    assertThatThrownBy(() -> EmbeddedZooKeeper.startOn(data).close())
        .isInstanceOf(UnusableFileException.class)
        .hasMessageStartingWith("cannot use " + data + " for ZooKeeper's data: " + reason);

    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> ProcessHandle.current().children().count() <= before);
  }

  @Test
  void aFileOrAFolderThatCannotBeMadeIsRefused() throws Exception {
    demandRefused(Files.createFile(folder.resolve("file")), "a file is in its place");
    demandRefused(folder.resolve("file/below"), "");
  }

  @Test
  void dataThatZooKeeperCannotReadIsRefusedAndItsJvmEnds() throws Exception {
    Path data = Files.createDirectories(folder.resolve("odd/version-2")).getParent();
    Files.write(data.resolve("version-2/log.1"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9});

    demandRefused(data, "ZooKeeper: ");
  }
}
