package io.rebalancer.zk.registry;

import io.rebalancer.core.znode.ZnodePaths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/**
 * Who may do what with a new znode (kafka 0.9-1.1, {@code ZkUtils.defaultAcls}). Where they are
 * set, what a consumer creates is its creator's and readable by all; but its registration and what
 * is above that stay open, since any member creates below them.
 */
final class Acls {

  /** Lists that may be asked whether they contain null, as ZooKeeper does. */
  static final List<ACL> OPEN = ZooDefs.Ids.OPEN_ACL_UNSAFE;

  static final List<ACL> CREATORS = creators();

  private Acls() {}

  private static List<ACL> creators() {
    List<ACL> creators = new ArrayList<>(ZooDefs.Ids.CREATOR_ALL_ACL);
    creators.addAll(ZooDefs.Ids.READ_ACL_UNSAFE);
    return Collections.unmodifiableList(creators);
  }

  static List<ACL> of(String path, boolean set) {
    return set && !isForAll(path) ? CREATORS : OPEN;
  }

  /** {@code /consumers}, {@code /consumers/GROUP}, {@code /consumers/GROUP/ids} and below. */
  private static boolean isForAll(String path) {
    return path.matches(ZnodePaths.CONSUMERS + "(/[^/]+(/ids(/.*)?)?)?");
  }
}
