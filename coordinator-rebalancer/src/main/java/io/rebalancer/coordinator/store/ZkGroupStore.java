package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.runtime.GroupStore;
import io.rebalancer.coordinator.runtime.StoredGroup;
import io.rebalancer.coordinator.store.FencedWriter.Put;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.BadPayloadException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Groups in /rebalancer/groups: one znode for the state, one per hundred partitions of offsets. */
final class ZkGroupStore implements GroupStore {

  private static final Logger LOG = LoggerFactory.getLogger(ZkGroupStore.class);
  private static final byte[] EMPTY = "{\"format\":1}".getBytes(UTF_8);
  private static final int BLOCK = 100;

  /** A multi may carry 1 MB in all; what is larger is stored in several, oldest first. */
  private static final int MAX_MULTI_BYTES = 700_000;

  private final ZkSession session;
  private final ZkLeadership leadership;
  private final FencedWriter writer;
  private final Clock clock;
  private final AtomicLong writes = new AtomicLong();

  /** {@code clock} stamps states. */
  ZkGroupStore(ZkSession session, ZkLeadership leadership, FencedWriter writer, Clock clock) {
    this.session = session;
    this.leadership = leadership;
    this.writer = writer;
    this.clock = clock;
  }

  @Override
  public CompletableFuture<Void> save(GroupId group, HardState state) {
    return writer.write(group, List.of(statePut(group, state, false)));
  }

  private Put statePut(GroupId group, HardState state, boolean parent) {
    int epoch = leadership.epoch(group);
    String writeId = epoch + "-" + writes.incrementAndGet();
    return new Put(
        CoordinatorPaths.group(group),
        Payloads.group(epoch, writeId, state, clock.millis()),
        parent);
  }

  @Override
  public CompletableFuture<Void> saveOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Map<TopicPartition, CommittedOffset> changed) {
    List<Put> parents = new ArrayList<>();
    parents.add(statePut(group, HardState.empty(), true));
    parents.add(new Put(CoordinatorPaths.offsets(group), EMPTY, true));
    changed.keySet().stream()
        .map(TopicPartition::topic)
        .distinct()
        .forEach(
            topic -> parents.add(new Put(CoordinatorPaths.offsets(group, topic), EMPTY, true)));

    CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    List<Put> batch = new ArrayList<>(parents);
    int size = 0;
    for (Put block : blocks(group, stored, changed)) {
      if (size > 0 && size + block.data().length > MAX_MULTI_BYTES) {
        last = both(last, writer.write(group, batch));
        batch = new ArrayList<>();
        size = 0;
      }
      batch.add(block);
      size += block.data().length;
    }
    return both(last, writer.write(group, batch));
  }

  private static CompletableFuture<Void> both(
      CompletableFuture<Void> first, CompletableFuture<Void> second) {
    return first.thenCombine(second, (a, b) -> a);
  }

  private static List<Put> blocks(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Map<TopicPartition, CommittedOffset> changed) {
    Map<String, SortedMap<Integer, CommittedOffset>> blocks = new LinkedHashMap<>();
    changed.forEach(
        (partition, offset) -> {
          String topic = partition.topic();
          int block = partition.partition() / BLOCK;
          blocks
              .computeIfAbsent(
                  CoordinatorPaths.offsets(group, topic, block),
                  path -> {
                    SortedMap<Integer, CommittedOffset> known = new TreeMap<>();
                    positions(stored, topic, block)
                        .forEach((each, value) -> known.put(each.partition(), value));
                    return known;
                  })
              .put(partition.partition(), offset);
        });
    List<Put> puts = new ArrayList<>();
    blocks.forEach((path, offsets) -> puts.add(new Put(path, Payloads.offsets(offsets), false)));
    return puts;
  }

  private static NavigableMap<TopicPartition, CommittedOffset> positions(
      NavigableMap<TopicPartition, CommittedOffset> stored, String topic, int block) {
    return stored.subMap(
        new TopicPartition(topic, block * BLOCK),
        true,
        new TopicPartition(topic, block * BLOCK + BLOCK - 1),
        true);
  }

  private static NavigableMap<TopicPartition, CommittedOffset> topic(
      NavigableMap<TopicPartition, CommittedOffset> stored, String topic) {
    return stored.subMap(
        new TopicPartition(topic, 0), true, new TopicPartition(topic, Integer.MAX_VALUE), true);
  }

  @Override
  public CompletableFuture<Void> deleteOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Set<TopicPartition> gone) {
    NavigableMap<TopicPartition, CommittedOffset> left = new TreeMap<>(stored);
    left.keySet().removeAll(gone);
    Map<TopicPartition, CommittedOffset> rewritten = new LinkedHashMap<>();
    Set<String> emptied = new LinkedHashSet<>();
    for (TopicPartition each : gone) {
      int block = each.partition() / BLOCK;
      var inBlock = positions(left, each.topic(), block);
      if (!inBlock.isEmpty()) {
        Map.Entry<TopicPartition, CommittedOffset> any = inBlock.firstEntry();
        rewritten.put(any.getKey(), any.getValue());
      } else if (topic(left, each.topic()).isEmpty()) {
        emptied.add(CoordinatorPaths.offsets(group, each.topic()));
      } else {
        emptied.add(CoordinatorPaths.offsets(group, each.topic(), block));
      }
    }
    CompletableFuture<Void> removed = writer.remove(group, List.copyOf(emptied));
    return rewritten.isEmpty() ? removed : both(removed, saveOffsets(group, left, rewritten));
  }

  @Override
  public CompletableFuture<Void> delete(GroupId group) {
    return writer.remove(group, List.of(CoordinatorPaths.group(group)));
  }

  @Override
  public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
    String path = CoordinatorPaths.group(group);
    return session
        .read(path)
        .thenCompose(
            node -> {
              writer.exists(path);
              HardState state = Payloads.group(path, node.data());
              return loadOffsets(group)
                  .thenApply(
                      offsets ->
                          Optional.of(
                              new StoredGroup(
                                  state, offsets, Payloads.groupTimestamp(path, node.data()))));
            })
        .exceptionally(
            failure -> {
              Throwable cause = cause(failure);
              if (cause instanceof KeeperException.NoNodeException) {
                return Optional.empty();
              }
              if (cause instanceof BadPayloadException) {
                LOG.warn("group {} ignored: {}", group, cause.getMessage());
                return Optional.empty();
              }
              throw new CompletionException(cause);
            });
  }

  private CompletableFuture<Map<TopicPartition, CommittedOffset>> loadOffsets(GroupId group) {
    Map<TopicPartition, CommittedOffset> offsets = new HashMap<>();
    return childrenOrNone(CoordinatorPaths.offsets(group))
        .thenCompose(
            topics -> all(topics.stream().map(topic -> loadTopic(group, topic, offsets)).toList()))
        .thenApply(done -> offsets);
  }

  private CompletableFuture<Void> loadTopic(
      GroupId group, String topic, Map<TopicPartition, CommittedOffset> offsets) {
    String parent = CoordinatorPaths.offsets(group, topic);
    return childrenOrNone(parent)
        .thenCompose(
            blocks ->
                all(
                    blocks.stream()
                        .map(block -> loadBlock(parent + "/" + block, topic, offsets))
                        .toList()));
  }

  private CompletableFuture<Void> loadBlock(
      String path, String topic, Map<TopicPartition, CommittedOffset> offsets) {
    return session
        .read(path)
        .thenAccept(
            node -> {
              writer.exists(path);
              SortedMap<Integer, CommittedOffset> block = Payloads.offsets(path, node.data());
              synchronized (offsets) {
                block.forEach(
                    (partition, offset) ->
                        offsets.put(new TopicPartition(topic, partition), offset));
              }
            });
  }

  /** Every group of every slot. */
  CompletableFuture<Map<GroupId, StoredGroup>> loadAll() {
    Map<GroupId, StoredGroup> groups = new HashMap<>();
    return session
        .children(CoordinatorPaths.GROUPS)
        .thenCompose(
            names ->
                all(
                    names.stream()
                        .map(GroupId::new)
                        .map(
                            group ->
                                load(group)
                                    .thenAccept(
                                        stored -> {
                                          synchronized (groups) {
                                            stored.ifPresent(found -> groups.put(group, found));
                                          }
                                        }))
                        .toList()))
        .thenApply(done -> groups);
  }

  private CompletableFuture<List<String>> childrenOrNone(String path) {
    return session
        .children(path)
        .handle(
            (children, failure) -> {
              if (failure == null) {
                writer.exists(path);
                return children;
              }
              if (cause(failure) instanceof KeeperException.NoNodeException) {
                return List.of();
              }
              throw new CompletionException(cause(failure));
            });
  }

  private static CompletableFuture<Void> all(List<CompletableFuture<Void>> parts) {
    return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
