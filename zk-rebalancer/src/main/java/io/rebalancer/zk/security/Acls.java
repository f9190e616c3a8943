package io.rebalancer.zk.security;

import io.rebalancer.core.znode.ZnodePaths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/**
 * Who may do what with a new znode (kafka 0.9-1.1, {@code ZkUtils.defaultAcls}). Where they are
 * set, owners, offsets and what is below {@code /brokers} is its creator's and readable by all;
 * registrations and what is above them stay open, since any member creates below them.
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
    return set && isCreators(path) ? CREATORS : OPEN;
  }

  private static boolean isCreators(String path) {
    return path.matches(ZnodePaths.CONSUMERS + "/[^/]+/(owners|offsets)(/.*)?|/brokers(/.*)?");
  }
}
