package io.rebalancer.bridge.zookeeper;

import io.rebalancer.bridge.runtime.EnvironmentException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;

/** The bridge's own session: it sets stages and cleans up, and never watches. */
public final class ZooKeeperConnection implements AutoCloseable {

  private static final int SESSION_MS = 30_000;
  private static final int CONNECT_MS = 10_000;

  private final CuratorFramework client;

  private ZooKeeperConnection(CuratorFramework client) {
    this.client = client;
  }

  /**
   * Connects, and creates the chroot if it is missing.
   *
   * @throws EnvironmentException if no server answers within 10 seconds
   */
  public static ZooKeeperConnection open(ConnectString ensemble) {
    CuratorFramework root = connect(ensemble.root());
    if (ensemble.chroot().isEmpty()) {
      return new ZooKeeperConnection(root);
    }
    try (ZooKeeperConnection connection = new ZooKeeperConnection(root)) {
      connection.createPath(ensemble.chroot());
    }
    return new ZooKeeperConnection(connect(ensemble));
  }

  private static CuratorFramework connect(ConnectString ensemble) {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(ensemble.toString())
            .sessionTimeoutMs(SESSION_MS)
            .connectionTimeoutMs(CONNECT_MS)
            .retryPolicy(new RetryNTimes(3, 200))
            .ensembleTracker(false)
            .build();
    client.start();
    try {
      if (client.blockUntilConnected(CONNECT_MS, TimeUnit.MILLISECONDS)) {
        return client;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
    throw new EnvironmentException(
        "ZooKeeper "
            + ensemble
            + " is not reachable: no server answered within "
            + CONNECT_MS
            + " ms");
  }

  CuratorFramework client() {
    return client;
  }

  /** Creates the path and its parents where they are missing. */
  void createPath(String path) {
    attempt(
        path,
        () -> {
          try {
            return client.create().creatingParentsIfNeeded().forPath(path, new byte[0]);
          } catch (KeeperException.NodeExistsException e) {
            return path;
          }
        });
  }

  /** One ZooKeeper operation. */
  @FunctionalInterface
  interface Operation<T> {
    T run() throws Exception;
  }

  /** Runs it; anything unexpected becomes an {@link EnvironmentException} that names the path. */
  static <T> T attempt(String path, Operation<T> operation) {
    try {
      return operation.run();
    } catch (KeeperException e) {
      throw new EnvironmentException("ZooKeeper, " + path + ": " + e.code(), e);
    } catch (RuntimeException e) {
      throw e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EnvironmentException("ZooKeeper, " + path + ": interrupted", e);
    } catch (Exception e) {
      throw new EnvironmentException("ZooKeeper, " + path + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
