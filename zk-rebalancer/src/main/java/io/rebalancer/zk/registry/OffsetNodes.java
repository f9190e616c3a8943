package io.rebalancer.zk.registry;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.OffsetPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.Witness;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/**
 * {@code /consumers/GROUP/offsets/TOPIC/PARTITION}: persistent, and written unconditionally: a
 * write that was under way when the partition went to another overwrites what that one has
 * committed since (D8). A strict consumer writes only over the very version it saw before it saw
 * its own owner node.
 */
final class OffsetNodes {

  private final Znodes znodes;
  private final GroupId group;
  private final OwnerNodes owners;
  private final boolean strict;
  private final Unreadable unreadable;
  private final Witness witness;

  OffsetNodes(
      Znodes znodes,
      GroupId group,
      OwnerNodes owners,
      boolean strict,
      Unreadable unreadable,
      Witness witness) {
    this.znodes = znodes;
    this.group = group;
    this.owners = owners;
    this.strict = strict;
    this.unreadable = unreadable;
    this.witness = witness;
  }

  OptionalLong read(TopicPartition partition) {
    String path = ZnodePaths.offset(group, partition);
    return znodes
        .data(path)
        .map(node -> unreadable.demand(node, payload -> OffsetPayload.decode(path, payload)))
        .map(OptionalLong::of)
        .orElse(OptionalLong.empty());
  }

  /**
   * As {@link #read}, but one that a strict consumer cannot read keeps nobody from owning the
   * partition: whoever asks for the offset is told.
   */
  OptionalLong checkpoint(TopicPartition partition) {
    if (!strict) {
      return read(partition);
    }
    String path = ZnodePaths.offset(group, partition);
    return znodes
        .data(path)
        .flatMap(
            node ->
                unreadable.tolerate(
                    node,
                    payload -> OffsetPayload.decode(path, payload),
                    "claimed without; reading it fails until one is committed"))
        .map(OptionalLong::of)
        .orElse(OptionalLong.empty());
  }

  /** False when it is strict and does not hold the owner node. */
  boolean write(TopicPartition partition, long offset) {
    String path = ZnodePaths.offset(group, partition);
    byte[] payload = OffsetPayload.encode(offset);
    if (!strict) {
      write(path, payload);
    } else if (!writeAsOwner(partition, path, payload)) {
      return false;
    }
    witness.committed(partition, offset);
    return true;
  }

  /** Nobody else can have committed between what it saw and what it writes. */
  private boolean writeAsOwner(TopicPartition partition, String path, byte[] payload) {
    while (true) {
      Optional<Znodes.Node> stored = znodes.data(path);
      if (!owners.isOwn(partition)) {
        return false;
      }
      if (stored.isPresent()) {
        int version = stored.get().stat().getVersion();
        if (znodes.setData(path, payload, version) == Znodes.Written.DONE) {
          return true;
        }
      } else {
        znodes.createParents(path);
        if (znodes.create(path, payload, CreateMode.PERSISTENT, new Stat()) == Znodes.Created.NEW) {
          return true;
        }
      }
    }
  }

  /** kafka 0.8-1.1, {@code ZkUtils.updatePersistentPath}. */
  private void write(String path, byte[] payload) {
    if (znodes.setData(path, payload)) {
      return;
    }
    znodes.createParents(path);
    if (znodes.create(path, payload, CreateMode.PERSISTENT, new Stat()) != Znodes.Created.NEW) {
      znodes.setData(path, payload); // Another was faster.
    }
  }
}
