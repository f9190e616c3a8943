package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.INCONSISTENT_GROUP_PROTOCOL;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;

import io.rebalancer.coordinator.group.GroupEvent.PersistFailed;
import io.rebalancer.coordinator.group.GroupEvent.Persisted;
import io.rebalancer.coordinator.group.GroupEvent.SyncRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import org.jspecify.annotations.Nullable;

/** SyncGroup, and the storing of the assignment that it brings. */
final class Syncing {

  private final Rebalance rebalance;

  Syncing(Rebalance rebalance) {
    this.rebalance = rebalance;
  }

  Step on(GroupState group, SyncRequested sync) {
    Member member = group.member(sync.memberId());
    GroupError refused = refusal(group, sync, member);
    Draft draft = new Draft(group);
    if (refused != NONE || member == null) {
      draft.reply(sync.request(), Answer.Synced.failed(refused));
      return draft.done();
    }
    if (draft.unsynced.remove(member.id()) && draft.unsynced.isEmpty()) {
      draft.cancel(Kind.SYNC);
    }
    switch (group.phase()) {
      case PREPARING_REBALANCE ->
          draft.reply(sync.request(), Answer.Synced.failed(REBALANCE_IN_PROGRESS));
      case COMPLETING_REBALANCE -> park(draft, sync, member);
      case STABLE -> answer(draft, sync.request(), member);
      case EMPTY, DEAD, ASSIGNING, RECONCILING ->
          throw new IllegalStateException(
              draft.id + ": expected no member in " + draft.phase() + ", found " + member.id());
    }
    return draft.done();
  }

  private static GroupError refusal(GroupState group, SyncRequested sync, @Nullable Member member) {
    if (group.phase() == GroupPhase.DEAD) {
      return COORDINATOR_NOT_AVAILABLE;
    }
    GroupError identity = group.check(sync.memberId(), sync.instanceId());
    if (identity != NONE || member == null) {
      return identity;
    }
    if (sync.generation() != group.generation()) {
      return ILLEGAL_GENERATION;
    }
    boolean differs =
        (!sync.protocolType().isEmpty() && !sync.protocolType().equals(group.hard().protocolType()))
            || (!sync.protocol().isEmpty() && !sync.protocol().equals(group.hard().protocol()));
    return differs ? INCONSISTENT_GROUP_PROTOCOL : NONE;
  }

  private static void park(Draft draft, SyncRequested sync, Member member) {
    RequestId superseded = draft.syncs.put(member.id(), sync.request());
    draft.reply(superseded, Answer.Synced.failed(REBALANCE_IN_PROGRESS));
    if (!member.id().value().equals(draft.leader)) {
      return;
    }
    HardState assigned = draft.hard().withAssignments(sync.assignments());
    if (!draft.isStoring()) {
      draft.persistAndAwait(assigned);
      draft.delay(sync.delayMs());
    } else if (!sync.assignments().isEmpty() && !draft.isAwaiting(assigned)) {
      // It has joined again meanwhile, knows of other topics, and takes them for assigned.
      draft.stale = true;
    }
  }

  private static void answer(Draft draft, RequestId request, Member member) {
    draft.reply(
        request, new Answer.Synced(NONE, draft.protocolType, draft.protocol, member.assignment()));
    draft.arm(Kind.SESSION, member.id(), member.sessionTimeoutMs());
  }

  /** Now, and not before, the members may be told. */
  Step on(GroupState group, Persisted persisted) {
    Draft draft = new Draft(group);
    draft.ended(persisted.write(), true);
    if (!draft.isAwaiting(persisted.write())) {
      rebalance.proceed(draft); // Of a generation that was given up, or of an Empty group.
      return draft.done();
    }
    HardState stored = draft.endAwait();
    draft.members.putAll(stored.members());
    draft.moveTo(GroupPhase.STABLE, Reason.ASSIGNMENT_STORED);
    draft.add(new GroupEffect.Granted(stored));
    for (Member member : stored.members().values()) {
      RequestId parked = draft.syncs.get(member.id());
      if (parked != null) {
        answer(draft, parked, member);
      }
    }
    draft.syncs.clear();
    if (draft.stale) {
      rebalance.prepare(draft, Reason.TOPIC_CHANGE);
    }
    return draft.done();
  }

  Step on(GroupState group, PersistFailed failed) {
    Draft draft = new Draft(group);
    draft.ended(failed.write(), false);
    rebalance.holdBack(draft);
    if (draft.isAwaiting(failed.write())) {
      rebalance.abandonAssignment(draft, failed.error());
      rebalance.prepare(draft, Reason.STORE_FAILED);
      if (failed.isFinal()) {
        rebalance.block(draft);
      }
    }
    return draft.done();
  }
}
