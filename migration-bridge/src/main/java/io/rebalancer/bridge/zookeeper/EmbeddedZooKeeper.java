package io.rebalancer.bridge.zookeeper;

import io.rebalancer.bridge.runtime.ChildJvm;
import io.rebalancer.bridge.runtime.EnvironmentException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real ZooKeeper server in a JVM of its own, for one run: a free port of 127.0.0.1, data in a
 * temporary folder (in memory where the system has {@code /dev/shm}), no fsync. Closing it ends the
 * JVM and removes the data.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {

  private static final Path IN_MEMORY = Path.of("/dev/shm");

  private final ChildJvm jvm;
  private final Path data;
  private final String connectString;

  private EmbeddedZooKeeper(ChildJvm jvm, Path data, String connectString) {
    this.jvm = jvm;
    this.data = data;
    this.connectString = connectString;
  }

  /** Returns when it listens; throws {@link EnvironmentException} if it cannot be started. */
  public static EmbeddedZooKeeper start() {
    Path data = temporaryFolder();
    ChildJvm jvm =
        ChildJvm.start(
            List.of(
                "-Xmx512m",
                "-Dzookeeper.forceSync=no",
                "-Dzookeeper.4lw.commands.whitelist=mntr,srvr",
                "-Drebalancer.log.level=OFF"),
            EmbeddedZooKeeperServer.class.getName(),
            List.of(data.toString()));
    try {
      return new EmbeddedZooKeeper(jvm, data, "127.0.0.1:" + Integer.parseInt(jvm.readLine()));
    } catch (RuntimeException e) {
      jvm.close();
      delete(data);
      throw e;
    }
  }

  private static Path temporaryFolder() {
    try {
      return Files.isWritable(IN_MEMORY)
          ? Files.createTempDirectory(IN_MEMORY, "rebalancer-zookeeper-")
          : Files.createTempDirectory("rebalancer-zookeeper-");
    } catch (IOException e) {
      throw new EnvironmentException(
          "cannot create a temporary folder for ZooKeeper: " + e.getMessage(), e);
    }
  }

  public String connectString() {
    return connectString;
  }

  @Override
  public void close() {
    jvm.close();
    delete(data);
  }

  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + folder, e);
    }
  }
}
