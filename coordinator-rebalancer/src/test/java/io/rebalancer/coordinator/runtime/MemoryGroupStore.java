package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Groups in memory. Writes end at once, or are held until the test lets them. */
final class MemoryGroupStore implements GroupStore {

  final Map<GroupId, StoredGroup> groups = new TreeMap<>((a, b) -> a.value().compareTo(b.value()));
  final Deque<Runnable> held = new ArrayDeque<>();
  boolean holding;
  int offsetWrites;
  private final Clock clock;

  MemoryGroupStore(Clock clock) {
    this.clock = clock;
  }

  private CompletableFuture<Void> write(Runnable change) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Runnable write =
        () -> {
          change.run();
          result.complete(null);
        };
    if (holding) {
      held.add(write);
    } else {
      write.run();
    }
    return result;
  }

  void release() {
    holding = false;
    while (!held.isEmpty()) {
      held.remove().run();
    }
  }

  private Map<TopicPartition, CommittedOffset> offsets(GroupId group) {
    @Nullable StoredGroup stored = groups.get(group);
    return stored == null ? new HashMap<>() : new HashMap<>(stored.offsets());
  }

  @Override
  public CompletableFuture<Void> save(GroupId group, HardState state) {
    OptionalLong now = OptionalLong.of(clock.millis());
    return write(() -> groups.put(group, new StoredGroup(state, offsets(group), now)));
  }

  @Override
  public CompletableFuture<Void> saveOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Map<TopicPartition, CommittedOffset> changed) {
    offsetWrites++;
    return write(() -> change(group, offsets -> offsets.putAll(changed)));
  }

  @Override
  public CompletableFuture<Void> deleteOffsets(
      GroupId group,
      NavigableMap<TopicPartition, CommittedOffset> stored,
      Set<TopicPartition> gone) {
    return write(() -> change(group, offsets -> offsets.keySet().removeAll(gone)));
  }

  private void change(GroupId group, Consumer<Map<TopicPartition, CommittedOffset>> change) {
    Map<TopicPartition, CommittedOffset> offsets = offsets(group);
    change.accept(offsets);
    StoredGroup before = groups.getOrDefault(group, new StoredGroup(HardState.empty(), Map.of()));
    groups.put(group, new StoredGroup(before.state(), offsets, before.sinceMs()));
  }

  @Override
  public CompletableFuture<Void> delete(GroupId group) {
    return write(() -> groups.remove(group));
  }

  @Override
  public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
    return CompletableFuture.completedFuture(Optional.ofNullable(groups.get(group)));
  }
}
