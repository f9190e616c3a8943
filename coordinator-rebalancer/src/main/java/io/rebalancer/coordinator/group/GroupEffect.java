package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.TopicPartition;
import java.util.Map;

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

  /** A new effect does not compile until it is carried out. */
  interface Visitor {
    void onPersist(Persist effect);

    void onStoreOffsets(StoreOffsets effect);

    void onReply(Reply effect);

    void onArmTimer(ArmTimer effect);

    void onCancelTimer(CancelTimer effect);

    void onMoved(Moved effect);

    void onGranted(Granted effect);
  }
}
