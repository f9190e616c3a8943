package io.rebalancer.bridge.zookeeper;

import io.rebalancer.bridge.runtime.EnvironmentException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;

/** The bridge's own session: it sets stages and cleans up, and never watches. */
public final class ZooKeeperConnection implements AutoCloseable {

  private static final int SESSION_MS = 15_000;
  private static final int CONNECT_MS = 10_000;

  private final ConnectString ensemble;
  private final CuratorFramework client;
  private volatile boolean lost;

  /**
   * Connects.
   *
   * @throws EnvironmentException if no server answers within 10 seconds, or the chroot does not
   *     exist
   */
  public static ZooKeeperConnection open(ConnectString ensemble) {
    ZooKeeperConnection root = new ZooKeeperConnection(ensemble.root());
    if (ensemble.chroot().isEmpty()) {
      return root;
    }
    try (root) {
      if (attempt(ensemble.chroot(), () -> root.client.checkExists().forPath(ensemble.chroot()))
          == null) {
        throw new EnvironmentException(
            "ZooKeeper " + ensemble + ": the chroot " + ensemble.chroot() + " does not exist");
      }
    }
    return new ZooKeeperConnection(ensemble);
  }

  /** Connects, and creates the chroot where it is missing. */
  public static ZooKeeperConnection openOrCreate(ConnectString ensemble) {
    if (!ensemble.chroot().isEmpty()) {
      try (ZooKeeperConnection root = open(ensemble.root())) {
        root.createPath(ensemble.chroot());
      }
    }
    return open(ensemble);
  }

  private ZooKeeperConnection(ConnectString ensemble) {
    this.ensemble = ensemble;
    ensemble.addresses().forEach(ZooKeeperConnection::demandResolved);
    client =
        CuratorFrameworkFactory.builder()
            .connectString(ensemble.toString())
            .sessionTimeoutMs(SESSION_MS)
            .connectionTimeoutMs(CONNECT_MS)
            .retryPolicy(new RetryNTimes(3, 200))
            .ensembleTracker(false)
            .build();
    client
        .getConnectionStateListenable()
        .addListener((c, state) -> lost |= state == ConnectionState.LOST);
    client.start();
    try {
      if (client.blockUntilConnected(CONNECT_MS, TimeUnit.MILLISECONDS)) {
        return;
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

  private static void demandResolved(InetSocketAddress server) {
    if (server.isUnresolved()) {
      throw new EnvironmentException(
          "ZooKeeper "
              + server.getHostString()
              + ":"
              + server.getPort()
              + " is not reachable: the name does not resolve");
    }
  }

  /** Throws {@link EnvironmentException} once this connection's session has been lost. */
  public void demandSession() {
    if (lost) {
      throw new EnvironmentException(
          "ZooKeeper " + ensemble + " is gone: no server answered for " + SESSION_MS + " ms");
    }
  }

  CuratorFramework client() {
    return client;
  }

  /** Their names in no order; empty if there is no such node. */
  List<String> children(String path) {
    return attempt(
        path,
        () -> {
          try {
            return client.getChildren().forPath(path);
          } catch (KeeperException.NoNodeException e) {
            return List.of();
          }
        });
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
