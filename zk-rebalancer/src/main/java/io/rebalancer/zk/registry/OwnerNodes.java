package io.rebalancer.zk.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.GroupRegistry.Claim;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** {@code /consumers/GROUP/owners/TOPIC/PARTITION}: ephemeral, the owner's thread id as text. */
final class OwnerNodes {

  private final Znodes znodes;
  private final GroupId group;

  OwnerNodes(Znodes znodes, GroupId group) {
    this.znodes = znodes;
    this.group = group;
  }

  /**
   * A node that bears the thread's own name counts as won, whichever session owns it: it may be
   * one's own from before a connection loss, or a dead session's that is about to vanish (D6).
   */
  Claim claim(TopicPartition partition, ThreadId thread) {
    String path = ZnodePaths.owner(group, partition);
    byte[] name = thread.toString().getBytes(UTF_8);
    Stat stat = new Stat();
    Znodes.Created created = znodes.create(path, name, CreateMode.EPHEMERAL, stat);
    if (created == Znodes.Created.NO_PARENT) {
      znodes.createParents(path);
      created = znodes.create(path, name, CreateMode.EPHEMERAL, stat);
    }
    if (created == Znodes.Created.NEW) {
      return Claim.won(FencingToken.ofOwnerNode(stat.getCzxid()));
    }
    Optional<Znodes.Node> other = znodes.data(path);
    if (other.isEmpty()) {
      return Claim.lost(""); // Gone by now, and not tried again in this attempt.
    }
    byte[] data = other.get().data();
    String owner = data == null ? "" : new String(data, UTF_8);
    return owner.equals(thread.toString())
        ? Claim.won(FencingToken.ofOwnerNode(other.get().stat().getCzxid()))
        : Claim.lost(owner);
  }

  /** No look at version, session or name: it deletes another's node as well (D7). */
  void release(TopicPartition partition) {
    znodes.delete(ZnodePaths.owner(group, partition));
  }
}
