package io.rebalancer.zk.registry;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.OffsetPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.OptionalLong;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** {@code /consumers/GROUP/offsets/TOPIC/PARTITION}: persistent, written unconditionally. */
final class OffsetNodes {

  private final Znodes znodes;
  private final GroupId group;

  OffsetNodes(Znodes znodes, GroupId group) {
    this.znodes = znodes;
    this.group = group;
  }

  OptionalLong read(TopicPartition partition) {
    String path = ZnodePaths.offset(group, partition);
    return znodes
        .data(path)
        .map(node -> OptionalLong.of(OffsetPayload.decode(path, node.data())))
        .orElse(OptionalLong.empty());
  }

  /** kafka 0.8-1.1, {@code ZkUtils.updatePersistentPath}. */
  void write(TopicPartition partition, long offset) {
    String path = ZnodePaths.offset(group, partition);
    byte[] payload = OffsetPayload.encode(offset);
    if (znodes.setData(path, payload)) {
      return;
    }
    znodes.createParents(path);
    if (znodes.create(path, payload, CreateMode.PERSISTENT, new Stat()) != Znodes.Created.NEW) {
      znodes.setData(path, payload); // Another was faster.
    }
  }
}
