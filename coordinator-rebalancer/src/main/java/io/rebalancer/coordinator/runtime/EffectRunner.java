package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupEffect;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.coordinator.group.RequestId;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Carries out what the state machine asks for, for one group; on the thread of its shard. */
final class EffectRunner implements GroupEffect.Visitor {

  private final GroupShard shard;
  private final GroupId group;
  private final GroupCell cell;

  EffectRunner(GroupShard shard, GroupId group, GroupCell cell) {
    this.shard = shard;
    this.group = group;
    this.cell = cell;
  }

  @Override
  public void onPersist(GroupEffect.Persist effect) {
    cell.stored = true;
    shard
        .store
        .save(group, effect.state())
        .whenComplete(
            (done, failure) -> shard.loop.accept(() -> persisted(effect.write(), failure)));
  }

  private void persisted(long write, @Nullable Throwable failure) {
    boolean saidBefore = cell.tooLarge;
    cell.tooLarge = failure != null && StoreErrors.isTooLarge(failure);
    if (failure != null && !cell.tooLarge) {
      shard.journal.notStored(group, "its state", failure);
    } else if (failure != null && !saidBefore) {
      shard.journal.tooLarge(group, failure);
    }
    if (shard.has(group, cell)) {
      shard.handle(
          group,
          failure == null
              ? new GroupEvent.Persisted(write)
              : new GroupEvent.PersistFailed(write, StoreErrors.ofSync(failure)));
    }
  }

  @Override
  public void onStoreOffsets(GroupEffect.StoreOffsets effect) {
    cell.stored |= !effect.offsets().isEmpty();
    cell.offsets.commit(
        effect.offsets(), error -> shard.reply(group, effect.request(), new Answer.Plain(error)));
  }

  @Override
  public void onDeleteOffsets(GroupEffect.DeleteOffsets effect) {
    cell.offsets.remove(
        stored -> effect.partitions(),
        error ->
            shard.reply(
                group,
                effect.request(),
                error == GroupError.NONE ? effect.answer() : new Answer.Plain(error)));
  }

  /** Until the store has forgotten it too, the group is as one that is being read. */
  @Override
  public void onForget(GroupEffect.Forget effect) {
    shard.journal.stepped(group, cell.state, null);
    cell.state = null;
    cell.offsets.end(error -> forgotten(effect.request(), error));
  }

  private void forgotten(@Nullable RequestId request, GroupError error) {
    if (request != null) {
      shard.reply(group, request, new Answer.Plain(error));
    }
    if (!shard.has(group, cell)) {
      return;
    }
    if (error == GroupError.NONE) {
      shard.remove(group);
    } else {
      shard.readBack(group, cell);
    }
  }

  @Override
  public void onReply(GroupEffect.Reply effect) {
    shard.reply(group, effect.request(), effect.answer());
  }

  @Override
  public void onArmTimer(GroupEffect.ArmTimer effect) {
    shard.timers.arm(group, effect.timer(), Duration.ofMillis(effect.delayMs()));
  }

  @Override
  public void onCancelTimer(GroupEffect.CancelTimer effect) {
    shard.timers.cancel(group, effect.timer());
  }

  @Override
  public void onMoved(GroupEffect.Moved effect) {
    if (effect.to() == GroupPhase.EMPTY) {
      cell.emptySinceMs = OptionalLong.of(shard.retention.clock().millis());
    }
    shard.journal.moved(group, effect);
  }

  @Override
  public void onGranted(GroupEffect.Granted effect) {
    shard.journal.granted(group, effect.state());
  }

  @Override
  public void onAssign(GroupEffect.Assign effect) {
    shard.timers.cancel(group, GroupShard.ASSIGNMENT);
    shard
        .assignor
        .assign(effect)
        .whenComplete(
            (targets, failure) -> shard.loop.accept(() -> assigned(effect, targets, failure)));
  }

  private void assigned(
      GroupEffect.Assign effect,
      @Nullable Map<MemberId, Assignment> targets,
      @Nullable Throwable failure) {
    if (targets == null) {
      tryLater(effect, failure);
    } else if (cell.failedAssignments > 0) {
      shard.journal.assignedAgain(group, effect, cell.failedAssignments);
      cell.failedAssignments = 0;
    }
    if (shard.has(group, cell)) {
      shard.handle(
          group,
          targets == null
              ? new GroupEvent.AssignFailed(effect.generation())
              : new GroupEvent.Assigned(effect.generation(), targets));
    }
  }

  /** Before the group hears of it: what it does then may be to ask for the next assignment. */
  private void tryLater(GroupEffect.Assign effect, @Nullable Throwable failure) {
    cell.failedAssignments++;
    Duration wait = AssignmentRetry.after(cell.failedAssignments);
    shard.journal.notAssigned(group, effect, failure, cell.failedAssignments, wait);
    if (shard.has(group, cell)) {
      shard.timers.arm(group, GroupShard.ASSIGNMENT, wait);
    }
  }

  @Override
  public void onShared(GroupEffect.Shared effect) {
    shard.journal.shared(group, effect);
  }
}
