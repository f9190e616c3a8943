package io.rebalancer.bridge.zookeeper;

import static io.rebalancer.bridge.zookeeper.ZooKeeperConnection.attempt;

import org.apache.zookeeper.KeeperException;

/**
 * A path of an ensemble that belongs to one run. Everything the run writes lies below it, and
 * closing it removes all of that, with those parents that did not exist before.
 */
public final class Workspace implements AutoCloseable {

  private final ConnectString root;
  private final ConnectString ensemble;
  private final String toRemove;

  private Workspace(ConnectString root, ConnectString ensemble, String toRemove) {
    this.root = root;
    this.ensemble = ensemble;
    this.toRemove = toRemove;
  }

  /**
   * Creates {@code name} below the ensemble's chroot.
   *
   * @throws io.rebalancer.bridge.runtime.EnvironmentException if no server answers or the path
   *     exists
   */
  public static Workspace create(ConnectString under, String name) {
    ConnectString ensemble = under.below("/" + name);
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(under.root())) {
      String toRemove = firstMissing(connection, ensemble.chroot());
      attempt(
          ensemble.chroot(),
          () ->
              connection
                  .client()
                  .create()
                  .creatingParentsIfNeeded()
                  .forPath(ensemble.chroot(), new byte[0]));
      return new Workspace(under.root(), ensemble, toRemove);
    }
  }

  private static String firstMissing(ZooKeeperConnection connection, String path) {
    int end = path.indexOf('/', 1);
    while (end > 0) {
      String ancestor = path.substring(0, end);
      if (attempt(ancestor, () -> connection.client().checkExists().forPath(ancestor)) == null) {
        return ancestor;
      }
      end = path.indexOf('/', end + 1);
    }
    return path;
  }

  /** The ensemble as a run sees it: with this workspace as chroot. */
  public ConnectString ensemble() {
    return ensemble;
  }

  @Override
  public void close() {
    try (ZooKeeperConnection connection = ZooKeeperConnection.open(root)) {
      attempt(
          toRemove,
          () -> {
            try {
              connection.client().delete().deletingChildrenIfNeeded().forPath(toRemove);
            } catch (KeeperException.NoNodeException e) {
              // Somebody else has cleaned up.
            }
            return toRemove;
          });
    }
  }
}
