package io.rebalancer.zk.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.GroupRegistry.Claim;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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

  /** The czxid of the node that a claim was last lost to, by path; negative once it is reported. */
  private final Map<String, Long> inTheWay = new HashMap<>();

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
      inTheWay.remove(path);
      return Optional.of(Claim.won(FencingToken.ofOwnerNode(stat.getCzxid())));
    }
    return znodes
        .data(path)
        .map(
            other -> {
              String owner = text(other);
              if (owner.equals(thread.toString()) && (!strict || isOwnSessions(other))) {
                return Claim.won(FencingToken.ofOwnerNode(other.stat().getCzxid()));
              }
              reportIfHeldOn(path, other);
              return Claim.lost(owner);
            });
  }

  /**
   * Once for each node that is in the way of two claims of its own: in the next attempt a member
   * that has just not released it yet has done so.
   */
  private void reportIfHeldOn(String path, Znodes.Node node) {
    long czxid = node.stat().getCzxid();
    Long before = inTheWay.get(path);
    if (before == null || Math.abs(before) != czxid) {
      inTheWay.put(path, czxid);
    } else if (before > 0) {
      inTheWay.put(path, -czxid); // Reported.
      log.warn("{}: still held by {} (expected: nobody): cannot be claimed", path, holder(node));
    }
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

  /** Whether its own ZooKeeper session holds the owner node; else says who does. */
  boolean isOwn(TopicPartition partition) {
    String path = ZnodePaths.owner(group, partition);
    Optional<Znodes.Node> node = znodes.data(path);
    if (node.filter(this::isOwnSessions).isPresent()) {
      return true;
    }
    log.warn(
        "{}: {} (expected: its own): no offset is written",
        path,
        node.map(OwnerNodes::holder).orElse("no owner node"));
    return false;
  }

  private static String holder(Znodes.Node node) {
    return "\""
        + text(node)
        + "\" of ZooKeeper session 0x"
        + Long.toHexString(node.stat().getEphemeralOwner());
  }

  private static String text(Znodes.Node node) {
    byte[] data = node.data();
    return data == null ? "" : new String(data, UTF_8);
  }

  private boolean isOwnSessions(Znodes.Node node) {
    return node.stat().getEphemeralOwner() == session.getAsLong();
  }
}
