package io.rebalancer.zk.runtime;

import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Offsets in ZooKeeper as the original kept them: written only when they differ from the value this
 * consumer last read or wrote, unconditionally, one request each. Thread-safe.
 */
final class Checkpoints {

  private final GroupRegistry registry;
  private final Map<TopicPartition, Long> last = new ConcurrentHashMap<>();

  Checkpoints(GroupRegistry registry) {
    this.registry = registry;
  }

  /** Before a claim; a missing offset counts as -1. */
  void load(TopicPartition partition) {
    last.put(partition, registry.readOffset(partition).orElse(-1));
  }

  void store(TopicPartition partition, long offset) {
    Long known = last.get(partition);
    if (known == null || known != offset) {
      registry.writeOffset(partition, offset);
      last.put(partition, offset);
    }
  }
}
