package io.rebalancer.zk.runtime;

import io.rebalancer.core.engine.OffsetStore;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.TopicPartition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer's positions and where they are committed, as the original did (kafka 0.8-1.1, {@code
 * ZookeeperConsumerConnector.commitOffsets}): in ZooKeeper unconditionally, one request each, and
 * only those that differ from the value this consumer last read or wrote; what an offset store has
 * accepted goes to ZooKeeper too where both are wanted.
 *
 * <p>Thread-safe; a commit and the end of processing exclude each other, so that nothing of a
 * partition is written once it may be released.
 */
final class Offsets {

  private static final Logger log = LoggerFactory.getLogger(Offsets.class);

  private final String member;
  private final GroupRegistry registry;
  private final OffsetRules rules;
  private final Ownership ownership;

  /** What ZooKeeper holds, as far as this consumer knows; a missing offset counts as -1. */
  private final Map<TopicPartition, Long> inZooKeeper = new HashMap<>();

  /** What the application has reported of the partitions that are processed. */
  private final Map<TopicPartition, Long> positions = new TreeMap<>();

  Offsets(String member, GroupRegistry registry, OffsetRules rules, Ownership ownership) {
    this.member = member;
    this.registry = registry;
    this.rules = rules;
    this.ownership = ownership;
  }

  /** Before the claims; one read each. */
  synchronized void load(Assignment partitions) {
    if (rules.zookeeper()) {
      partitions.stream()
          .forEach(
              partition -> inZooKeeper.put(partition, registry.checkpoint(partition).orElse(-1)));
    }
  }

  /** The larger of what ZooKeeper and the store have; -1 is the originals' word for none. */
  OptionalLong committed(TopicPartition partition) {
    OptionalLong here = rules.zookeeper() ? registry.readOffset(partition) : OptionalLong.empty();
    if (here.equals(OptionalLong.of(-1))) {
      here = OptionalLong.empty();
    }
    OffsetStore store = rules.store();
    Long there = store == null ? null : store.fetch(Set.of(partition)).get(partition);
    if (there == null) {
      return here;
    }
    return OptionalLong.of(Math.max(there, here.orElse(there)));
  }

  /** A position to commit when it is time. */
  synchronized void report(TopicPartition partition, long offset) {
    demandOffset(partition, offset);
    demandOwned(Set.of(partition));
    positions.put(partition, offset);
  }

  /** All reported positions. */
  synchronized void commitPositions() {
    store(new TreeMap<>(positions));
  }

  /** Stops at the first exception. */
  synchronized void commit(Map<TopicPartition, Long> offsets) {
    offsets.forEach(Offsets::demandOffset);
    demandOwned(offsets.keySet());
    store(offsets);
  }

  private static void demandOffset(TopicPartition partition, long offset) {
    if (offset < 0) {
      throw new IllegalArgumentException(
          "offset of " + partition + ": " + offset + " (expected: >= 0)");
    }
  }

  private void demandOwned(Set<TopicPartition> partitions) {
    Assignment owned = ownership.processing();
    List<TopicPartition> foreign =
        partitions.stream().filter(partition -> !owned.contains(partition)).sorted().toList();
    if (!foreign.isEmpty()) {
      throw new IllegalStateException(
          member + ": offsets of " + foreign + " (expected: partitions it owns)");
    }
  }

  private void store(Map<TopicPartition, Long> offsets) {
    OffsetStore store = rules.store();
    Set<TopicPartition> accepted =
        store == null || offsets.isEmpty() ? offsets.keySet() : store.commit(offsets);
    Set<TopicPartition> lost = new TreeSet<>();
    if (rules.zookeeper()) {
      offsets.forEach(
          (partition, offset) -> {
            if (accepted.contains(partition) && !write(partition, offset)) {
              lost.add(partition);
            }
          });
    }
    if (!lost.isEmpty()) {
      throw new IllegalStateException(
          member + ": offsets of " + lost + " (expected: partitions whose owner nodes it holds)");
    }
    Map<TopicPartition, Long> refused = new TreeMap<>(offsets);
    refused.keySet().removeAll(accepted);
    if (!refused.isEmpty()) {
      throw new RegistryException(member + ": the offset store did not take " + refused, null);
    }
  }

  private boolean write(TopicPartition partition, long offset) {
    Long known = inZooKeeper.get(partition);
    if (known != null && known == offset) {
      return true;
    }
    if (!registry.writeOffset(partition, offset)) {
      return false;
    }
    inZooKeeper.put(partition, offset);
    return true;
  }

  /** The original's timer swallows errors, and tries again after the next interval. */
  void commitInTurn() {
    try {
      commitPositions();
    } catch (RuntimeException e) {
      log.warn("{}: auto commit failed: {}", member, e.getMessage());
    }
  }

  /** Processing has stopped, and the owner nodes are still held, or have been taken away. */
  synchronized void endProcessing() {
    if (rules.auto()) {
      try {
        commitPositions();
      } catch (IllegalStateException e) {
        log.warn("{}: auto commit failed: {}", member, e.getMessage());
      }
    }
    forgetPositions();
  }

  /** Others may own the partitions by now: no commit. */
  synchronized void forgetPositions() {
    positions.clear();
  }
}
