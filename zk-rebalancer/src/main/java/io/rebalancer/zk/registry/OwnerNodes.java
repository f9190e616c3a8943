package io.rebalancer.zk.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.GroupRegistry.Claim;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /consumers/GROUP/owners/TOPIC/PARTITION}: ephemeral, the owner's thread id as text. */
final class OwnerNodes {

  private static final Logger log = LoggerFactory.getLogger(OwnerNodes.class);

  private final Znodes znodes;
  private final GroupId group;
  private final boolean strict;
  private final LongSupplier session;

  /** In which session each partition was claimed last. */
  private final Map<TopicPartition, Long> sessions = new ConcurrentHashMap<>();

  OwnerNodes(Znodes znodes, GroupId group, boolean strict, LongSupplier session) {
    this.znodes = znodes;
    this.group = group;
    this.strict = strict;
    this.session = session;
  }

  /**
   * A node that bears the thread's own name counts as won, whichever session owns it: it may be
   * one's own from before a connection loss, or a dead session's that is about to vanish (D6). A
   * strict consumer believes only its own session's, and tries again at once when the node that was
   * in its way has gone.
   */
  Claim claim(TopicPartition partition, ThreadId thread) {
    while (true) {
      Optional<Claim> claim = tryToClaim(partition, thread);
      if (claim.isPresent()) {
        return claim.get();
      }
      if (!strict) {
        return Claim.lost("");
      }
    }
  }

  /** Empty when another's node was in the way and had gone before it could be read. */
  private Optional<Claim> tryToClaim(TopicPartition partition, ThreadId thread) {
    String path = ZnodePaths.owner(group, partition);
    byte[] name = thread.toString().getBytes(UTF_8);
    Stat stat = new Stat();
    Znodes.Created created = znodes.create(path, name, CreateMode.EPHEMERAL, stat);
    if (created == Znodes.Created.NO_PARENT) {
      znodes.createParents(path);
      created = znodes.create(path, name, CreateMode.EPHEMERAL, stat);
    }
    if (created == Znodes.Created.NEW) {
      sessions.put(partition, stat.getEphemeralOwner());
      return Optional.of(Claim.won(FencingToken.ofOwnerNode(stat.getCzxid())));
    }
    return znodes
        .data(path)
        .map(
            other -> {
              byte[] data = other.data();
              String owner = data == null ? "" : new String(data, UTF_8);
              if (!owner.equals(thread.toString()) || (strict && !isOwnSessions(other))) {
                return Claim.lost(owner);
              }
              sessions.put(partition, other.stat().getEphemeralOwner());
              return Claim.won(FencingToken.ofOwnerNode(other.stat().getCzxid()));
            });
  }

  /**
   * No look at version, session or name: it deletes another's node as well (D7). A strict consumer
   * looks first, and deletes the version that it has seen. Nobody else's node can come in between,
   * unless a third deletes its own: as long as its session lives the node is there.
   */
  void release(TopicPartition partition, FencingToken token) {
    String path = ZnodePaths.owner(group, partition);
    if (!strict) {
      znodes.delete(path);
      return;
    }
    Optional<Znodes.Node> node = znodes.data(path);
    while (node.isPresent()) {
      Stat stat = node.get().stat();
      if (!isOwnSessions(node.get()) || stat.getCzxid() != token.czxid()) {
        log.warn("{}: another's owner node by now; not deleted", path);
        return;
      }
      if (znodes.delete(path, stat.getVersion())) {
        return;
      }
      node = znodes.data(path); // Somebody has written to it since.
    }
  }

  /**
   * The session that made the owner node of this consumer's last claim; 0 when it never claimed.
   */
  long sessionOf(TopicPartition partition) {
    return sessions.getOrDefault(partition, 0L);
  }

  private boolean isOwnSessions(Znodes.Node node) {
    return node.stat().getEphemeralOwner() == session.getAsLong();
  }
}
