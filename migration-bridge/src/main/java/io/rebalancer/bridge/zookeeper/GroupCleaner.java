package io.rebalancer.bridge.zookeeper;

import static io.rebalancer.bridge.zookeeper.ZooKeeperConnection.attempt;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;

/** Deletes groups of the historical layout. */
public final class GroupCleaner {

  /** Paths of a few hundred characters fit ZooKeeper's limit of 1 MB for a request. */
  private static final int AT_ONCE = 2_000;

  private final ZooKeeperConnection connection;
  private final CuratorFramework client;

  /** Uses the connection's chroot; does not close it. */
  public GroupCleaner(ZooKeeperConnection connection) {
    this.connection = connection;
    this.client = connection.client();
  }

  /**
   * Deletes everything below and including {@code /consumers/GROUP}, in one transaction as long as
   * it is no more than 2,000 nodes. Returns false if the group has changed since it was listed; a
   * member that joins does that, and of a group deleted in one transaction nothing is missing then.
   */
  public boolean delete(GroupId group) {
    List<String> paths = new ArrayList<>();
    // First, so that a member that has just joined is noticed before anything is gone.
    collect(ZnodePaths.ids(group), paths);
    String root = ZnodePaths.group(group);
    for (String child : connection.children(root)) {
      if (!ZnodePaths.ids(group).equals(root + "/" + child)) {
        collect(root + "/" + child, paths);
      }
    }
    paths.add(root);
    for (int from = 0; from < paths.size(); from += AT_ONCE) {
      List<String> next = paths.subList(from, Math.min(from + AT_ONCE, paths.size()));
      if (!deleteAll(next)) {
        return false;
      }
    }
    return true;
  }

  private boolean deleteAll(List<String> paths) {
    return attempt(
        paths.get(paths.size() - 1),
        () -> {
          List<CuratorOp> operations = new ArrayList<>();
          for (String path : paths) {
            operations.add(client.transactionOp().delete().forPath(path));
          }
          try {
            client.transaction().forOperations(operations);
            return true;
          } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException e) {
            return false;
          }
        });
  }

  /** Children before their parents; nothing if there is no such node. */
  private void collect(String path, List<String> paths) {
    for (String child : connection.children(path)) {
      collect(path + "/" + child, paths);
    }
    if (attempt(path, () -> Optional.ofNullable(client.checkExists().forPath(path))).isPresent()) {
      paths.add(path);
    }
  }
}
