package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.coordinator.group.Opaque;
import io.rebalancer.coordinator.group.Share;
import io.rebalancer.coordinator.runtime.GroupStore;
import io.rebalancer.coordinator.runtime.StoreException;
import io.rebalancer.coordinator.runtime.StoreException.Reason;
import io.rebalancer.coordinator.runtime.StoredGroup;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What outlives every coordinator, and the way of each to it: writes one after the other, fenced by
 * the epoch, repeated while their outcome is unknown, as the store of the product does.
 */
final class SimulatedStore {

  private final World world;

  /** Of the coordinator that holds the slots. */
  int epoch;

  /** Null until the first write. */
  private HardState state;

  /** Told of every state that is stored. */
  Consumer<HardState> onStored = stored -> {};

  /** Told of positions before they are removed one by one. */
  Consumer<Set<TopicPartition>> onExpired = gone -> {};

  /** Told when the group has been removed with everything it had. */
  Runnable onDeleted = () -> {};

  /** How often it was. */
  long deletions;

  private final Map<TopicPartition, CommittedOffset> offsets = new HashMap<>();

  /** What a member may be told. */
  record Told(MemberId member, int generation, Opaque share) {}

  /** Every share that was ever stored. */
  private final Set<Told> told = new HashSet<>();

  private final List<HardState> all = new ArrayList<>();

  /** Of a thousand writes: so many take long, fail, or are applied but told of late. */
  int slow;

  int failing;
  int unknown;

  SimulatedStore(World world) {
    this.world = world;
  }

  Optional<HardState> state() {
    return Optional.ofNullable(state);
  }

  Map<TopicPartition, CommittedOffset> offsets() {
    return offsets;
  }

  Optional<StoredGroup> read() {
    HardState found = state;
    if (world.planted == PlantedFault.RESTORES_THE_STATE_BEFORE && all.size() > 1) {
      found = all.get(all.size() - 2);
    }
    return Optional.ofNullable(found).map(known -> new StoredGroup(known, offsets));
  }

  /** Of the group, or of the member where each has its own. */
  static int generationOf(HardState state, MemberId member) {
    return state.shares() == null
        ? state.generation()
        : state.shares().of().getOrDefault(member, Share.NOTHING).generation();
  }

  /** Of the member as it is stored, -1 when the group is not. */
  int generationOf(String member) {
    return state == null ? -1 : generationOf(state, new MemberId(member));
  }

  boolean hasStored(String member, int generation, Opaque share) {
    return told.contains(new Told(new MemberId(member), generation, share));
  }

  private void apply(HardState saved) {
    state = saved;
    all.add(saved);
    saved
        .members()
        .values()
        .forEach(m -> told.add(new Told(m.id(), generationOf(saved, m.id()), m.assignment())));
    onStored.accept(saved);
  }

  /** One coordinator's way to the store, for one taking of the slots. */
  final class Handle implements GroupStore {

    private record Write(int epoch, Runnable action, CompletableFuture<Void> outcome) {}

    private final Node node;
    private final Deque<Write> writes = new ArrayDeque<>();
    int heldEpoch;
    private boolean busy;

    Handle(Node node) {
      this.node = node;
    }

    @Override
    public CompletableFuture<Void> save(GroupId group, HardState saved) {
      return write(() -> apply(Planting.saved(world.planted, state, saved)));
    }

    @Override
    public CompletableFuture<Void> saveOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Map<TopicPartition, CommittedOffset> changed) {
      return write(
          () -> {
            if (state == null) {
              state = HardState.empty();
            }
            offsets.putAll(changed);
          });
    }

    @Override
    public CompletableFuture<Void> deleteOffsets(
        GroupId group,
        NavigableMap<TopicPartition, CommittedOffset> stored,
        Set<TopicPartition> gone) {
      return write(
          () -> {
            onExpired.accept(gone);
            offsets.keySet().removeAll(gone);
          });
    }

    @Override
    public CompletableFuture<Void> delete(GroupId group) {
      if (world.planted == PlantedFault.CONFIRMS_DELETIONS_THAT_ARE_NOT) {
        return CompletableFuture.completedFuture(null);
      }
      return write(
          () -> {
            state = null;
            offsets.clear();
            deletions++;
            onDeleted.run();
          });
    }

    @Override
    public CompletableFuture<Optional<StoredGroup>> load(GroupId group) {
      return CompletableFuture.completedFuture(read());
    }

    private CompletableFuture<Void> write(Runnable action) {
      Write write = new Write(heldEpoch, action, new CompletableFuture<>());
      writes.add(write);
      if (world.planted == PlantedFault.CONFIRMS_BEFORE_STORED) {
        write.outcome.complete(null);
      }
      next();
      return write.outcome;
    }

    private void next() {
      if (busy || writes.isEmpty()) {
        return;
      }
      busy = true;
      world.after(
          world.chance(slow) ? world.between(100, 3000) : world.between(1, 15), this::attempt);
    }

    private void attempt() {
      if (!node.alive) {
        return;
      }
      Write write = writes.element();
      if (isFencedOff(write)) {
        fencedOff(write);
      } else if (!node.reachesStore()) {
        world.after(200, this::attempt);
      } else if (world.chance(failing)) {
        fail(write, Reason.UNAVAILABLE);
      } else {
        write.action.run();
        if (world.chance(unknown)) {
          world.note(1, () -> "store: outcome unknown for a while");
          world.after(world.between(100, 2000), () -> compared(write));
        } else {
          done(write);
        }
      }
    }

    /** The write is there; its author finds out, if it is still the coordinator. */
    private void compared(Write write) {
      if (!node.alive) {
        return;
      }
      if (isFencedOff(write)) {
        fencedOff(write);
      } else if (!node.reachesStore()) {
        world.after(200, () -> compared(write));
      } else {
        done(write);
      }
    }

    /** Also when the slots were lost since it was asked for, and have been taken again. */
    private boolean isFencedOff(Write write) {
      return node.isResigned()
          || write.epoch != heldEpoch
          || (node.reachesStore() && heldEpoch != epoch);
    }

    private void fencedOff(Write write) {
      fail(write, Reason.FENCED);
      if (heldEpoch != epoch) {
        node.fenced();
      }
    }

    private void done(Write write) {
      end();
      write.outcome.complete(null);
      node.run();
    }

    private void fail(Write write, Reason reason) {
      world.note(reason.ordinal(), () -> "store: a write of " + node + " fails: " + reason);
      end();
      write.outcome.completeExceptionally(new StoreException(reason, "simulated"));
      node.run();
    }

    private void end() {
      writes.remove();
      busy = false;
      next();
    }

    boolean isIdle() {
      return writes.isEmpty();
    }
  }
}
