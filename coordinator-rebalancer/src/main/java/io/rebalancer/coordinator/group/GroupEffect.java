package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the runtime does next, in list order. What must not be seen before it is stored is not in
 * the list yet: it comes with the step that handles {@link GroupEvent.Persisted}.
 */
public sealed interface GroupEffect {

  void accept(Visitor visitor);

  /** Store this; the outcome comes back as an event with the same token. */
  record Persist(long write, HardState state) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onPersist(this);
    }
  }

  /** Store these positions and answer the request when they are stored. */
  record StoreOffsets(RequestId request, Map<TopicPartition, CommittedOffset> offsets)
      implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onStoreOffsets(this);
    }
  }

  /** Remove these positions from the store, and give the answer when they are gone. */
  record DeleteOffsets(RequestId request, Set<TopicPartition> partitions, Answer answer)
      implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onDeleteOffsets(this);
    }
  }

  /**
   * Remove the group from the store with all its positions, and forget it.
   *
   * @param request answered when it is gone; null when nobody asked
   */
  record Forget(@Nullable RequestId request) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onForget(this);
    }
  }

  /** Answer a request; each is answered exactly once. */
  record Reply(RequestId request, Answer answer) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onReply(this);
    }
  }

  /** Start a timer, or start it anew. */
  record ArmTimer(TimerId timer, int delayMs) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onArmTimer(this);
    }
  }

  /** Stop a timer, if it runs. */
  record CancelTimer(TimerId timer) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onCancelTimer(this);
    }
  }

  /** The group went from one phase to another: one log line, one observation. */
  record Moved(int generation, GroupPhase from, GroupPhase to, Reason reason)
      implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onMoved(this);
    }
  }

  /** The assignment of this generation is stored: its parts are the members' from now on. */
  record Granted(HardState state) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onGranted(this);
    }
  }

  /**
   * Compute who is to have what, from the topics as they are now; {@link GroupEvent.Assigned} or
   * {@link GroupEvent.AssignFailed} with the same generation comes back.
   */
  record Assign(int generation, String assignor, List<Claimant> members) implements GroupEffect {
    public Assign {
      members = List.copyOf(members);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.onAssign(this);
    }
  }

  /**
   * A member as the assignor sees it.
   *
   * @param metadata what it sent with its first protocol
   * @param previous what it was to have so far
   */
  record Claimant(
      MemberId id, String instanceId, Set<String> topics, Opaque metadata, Assignment previous) {}

  /** What one member of a server-assigned group has from now on is stored. */
  record Shared(Member member, int generation, Assignment granted) implements GroupEffect {
    @Override
    public void accept(Visitor visitor) {
      visitor.onShared(this);
    }
  }

  /** A new effect does not compile until it is carried out. */
  interface Visitor {
    void onPersist(Persist effect);

    void onStoreOffsets(StoreOffsets effect);

    void onDeleteOffsets(DeleteOffsets effect);

    void onForget(Forget effect);

    void onReply(Reply effect);

    void onArmTimer(ArmTimer effect);

    void onCancelTimer(CancelTimer effect);

    void onMoved(Moved effect);

    void onGranted(Granted effect);

    void onAssign(Assign effect);

    void onShared(Shared effect);
  }
}
