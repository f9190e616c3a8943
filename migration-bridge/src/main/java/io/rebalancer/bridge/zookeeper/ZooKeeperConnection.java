package io.rebalancer.bridge.zookeeper;

import io.rebalancer.bridge.runtime.EnvironmentException;
import io.rebalancer.zk.security.SecureHandles;
import io.rebalancer.zk.security.ZkSecurity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.ACL;

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
    return open(ensemble, ZkSecurity.none());
  }

  /** As {@link #open(ConnectString)}, with TLS, logins and ACLs. */
  public static ZooKeeperConnection open(ConnectString ensemble, ZkSecurity security) {
    SecureHandles handles = new SecureHandles(security);
    ZooKeeperConnection root = new ZooKeeperConnection(ensemble.root(), handles);
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
    return new ZooKeeperConnection(ensemble, handles);
  }

  /** Connects, and creates the chroot where it is missing. */
  public static ZooKeeperConnection openOrCreate(ConnectString ensemble) {
    return openOrCreate(ensemble, ZkSecurity.none());
  }

  /** As {@link #openOrCreate(ConnectString)}, with TLS, logins and ACLs. */
  public static ZooKeeperConnection openOrCreate(ConnectString ensemble, ZkSecurity security) {
    if (!ensemble.chroot().isEmpty()) {
      try (ZooKeeperConnection root = open(ensemble.root(), security)) {
        root.createPath(ensemble.chroot());
      }
    }
    return open(ensemble, security);
  }

  private ZooKeeperConnection(ConnectString ensemble, SecureHandles handles) {
    this.ensemble = ensemble;
    ensemble.addresses().forEach(ZooKeeperConnection::demandResolved);
    client =
        CuratorFrameworkFactory.builder()
            .connectString(ensemble.toString())
            .sessionTimeoutMs(SESSION_MS)
            .connectionTimeoutMs(CONNECT_MS)
            .retryPolicy(new RetryNTimes(3, 200))
            .ensembleTracker(false)
            .zookeeperFactory(handles::open)
            .aclProvider(new Acls(handles))
            .build();
    client
        .getConnectionStateListenable()
        .addListener((c, state) -> lost |= state == ConnectionState.LOST);
    client.start();
    Optional<String> wrong = Optional.of(": interrupted");
    try {
      wrong = handles.awaitConnected(client, ensemble.toString(), Duration.ofMillis(CONNECT_MS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (wrong.isPresent()) {
      client.close();
      throw new EnvironmentException(
          "ZooKeeper "
              + ensemble
              + " is not reachable: no server answered within "
              + CONNECT_MS
              + " ms"
              + wrong.get());
    }
  }

  /** Of whatever is created, parents too. */
  private record Acls(SecureHandles handles) implements ACLProvider {
    @Override
    public List<ACL> getDefaultAcl() {
      return handles.acl("");
    }

    @Override
    public List<ACL> getAclForPath(String path) {
      return handles.acl(path);
    }
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
    } catch (KeeperException.NoAuthException e) {
      throw new EnvironmentException(
          "ZooKeeper, "
              + path
              + ": NOAUTH: its ACL, or that of a node below it, refuses this login (expected: that"
              + " of its owner, by --zookeeper-config)",
          e);
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
