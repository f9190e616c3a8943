package io.rebalancer.zk.registry;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.OffsetPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.Witness;
import java.util.OptionalLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/** {@code /consumers/GROUP/offsets/TOPIC/PARTITION}: persistent, written unconditionally. */
final class OffsetNodes {

  private final Znodes znodes;
  private final GroupId group;
  private final Unreadable unreadable;
  private final Witness witness;
  private final @Nullable OwnerNodes owners;

  /**
   * Makes one that sends nothing yet.
   *
   * @param owners where offsets are written in the session of the partition's claim only; null: in
   *     whichever there is
   */
  OffsetNodes(
      Znodes znodes,
      GroupId group,
      Unreadable unreadable,
      Witness witness,
      @Nullable OwnerNodes owners) {
    this.znodes = znodes;
    this.group = group;
    this.unreadable = unreadable;
    this.witness = witness;
    this.owners = owners;
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
   * Kafka 0.8-1.1, {@code ZkUtils.updatePersistentPath}: a write that an expiry has interrupted is
   * repeated in the next session, over what the partition's new owner may have written (D8).
   */
  void write(TopicPartition partition, long offset) {
    String path = ZnodePaths.offset(group, partition);
    byte[] payload = OffsetPayload.encode(offset);
    if (owners == null) {
      write(path, payload);
    } else {
      znodes.writeIn(owners.sessionOf(partition), path, payload);
    }
    witness.committed(partition, offset);
  }

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
