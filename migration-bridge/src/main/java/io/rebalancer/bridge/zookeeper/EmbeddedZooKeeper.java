package io.rebalancer.bridge.zookeeper;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.rebalancer.bridge.runtime.ChildJvm;
import io.rebalancer.bridge.runtime.EnvironmentException;
import io.rebalancer.bridge.runtime.UnusableFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A real ZooKeeper server in a JVM of its own, on a free port of 127.0.0.1. Closing it ends the
 * JVM.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {

  private static final Path IN_MEMORY = Path.of("/dev/shm");

  private static final String LOCK = ".rebalancer.lock";

  private final ChildJvm jvm;
  private final String connectString;

  /** What is to be done once the server has ended. */
  private final Runnable afterwards;

  private EmbeddedZooKeeper(ChildJvm jvm, String connectString, Runnable afterwards) {
    this.jvm = jvm;
    this.connectString = connectString;
    this.afterwards = afterwards;
  }

  /**
   * For one run: data in a temporary folder (in memory where the system has {@code /dev/shm}), no
   * fsync; closing it removes the data.
   *
   * <p>Returns when it listens; throws {@link EnvironmentException} if it cannot be started.
   */
  public static EmbeddedZooKeeper start() {
    Path data = temporaryFolder();
    return start(data, EmbeddedZooKeeperServer.REMOVE, "no", () -> delete(data));
  }

  /**
   * As {@link #start()}, on data that stays, each write synced to disk. The folder is created where
   * there is none; one server at a time can have it.
   *
   * @throws UnusableFileException if the folder cannot be had, or ZooKeeper cannot use what is in
   *     it
   * @throws EnvironmentException if another server has it, or no JVM can be started
   */
  public static EmbeddedZooKeeper startOn(Path data) {
    FileChannel lock = lock(data);
    return start(data, EmbeddedZooKeeperServer.KEEP, "yes", () -> close(lock));
  }

  private static EmbeddedZooKeeper start(
      Path data, String afterEnd, String forceSync, Runnable afterwards) {
    ChildJvm jvm =
        ChildJvm.start(
            List.of(
                "-Xmx512m",
                "-Dzookeeper.forceSync=" + forceSync,
                "-Dzookeeper.4lw.commands.whitelist=mntr,srvr",
                "-Drebalancer.log.level=OFF"),
            EmbeddedZooKeeperServer.class.getName(),
            List.of(data.toString(), afterEnd));
    try {
      String answer = jvm.readLine();
      if (!answer.matches("\\d+")) {
        String why = unusable(data, answer);
        throw afterEnd.equals(EmbeddedZooKeeperServer.KEEP)
            ? new UnusableFileException(why)
            : new EnvironmentException(why);
      }
      return new EmbeddedZooKeeper(jvm, "127.0.0.1:" + answer, afterwards);
    } catch (RuntimeException e) {
      jvm.close();
      afterwards.run();
      throw e;
    }
  }

  private static FileChannel lock(Path data) {
    try {
      Files.createDirectories(data);
      FileChannel channel = FileChannel.open(data.resolve(LOCK), CREATE, WRITE);
      if (channel.tryLock() == null) {
        channel.close();
        throw new EnvironmentException(data + ": another process uses it");
      }
      return channel;
    } catch (OverlappingFileLockException e) {
      throw new EnvironmentException(data + ": this process uses it already", e);
    } catch (IOException e) {
      throw new UnusableFileException(unusable(data, UnusableFileException.reason(e)), e);
    }
  }

  private static String unusable(Path data, String reason) {
    return "cannot use " + data + " for ZooKeeper's data: " + reason;
  }

  private static void close(FileChannel lock) {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot release the lock of ZooKeeper's data", e);
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
    afterwards.run();
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
