package io.rebalancer.zk.registry;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.OffsetPayload;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.Witness;
import java.util.OptionalLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** {@code /consumers/GROUP/offsets/TOPIC/PARTITION}: persistent, written unconditionally. */
final class OffsetNodes {

  private final Znodes znodes;
  private final GroupId group;
  private final Unreadable unreadable;
  private final Witness witness;

  OffsetNodes(Znodes znodes, GroupId group, Unreadable unreadable, Witness witness) {
    this.znodes = znodes;
    this.group = group;
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

  /** kafka 0.8-1.1, {@code ZkUtils.updatePersistentPath}. */
  void write(TopicPartition partition, long offset) {
    write(ZnodePaths.offset(group, partition), OffsetPayload.encode(offset));
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
