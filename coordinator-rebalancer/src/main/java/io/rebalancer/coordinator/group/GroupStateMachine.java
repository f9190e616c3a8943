package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.NONE;

import io.rebalancer.coordinator.group.GroupEvent.AssignFailed;
import io.rebalancer.coordinator.group.GroupEvent.Assigned;
import io.rebalancer.coordinator.group.GroupEvent.CommitRequested;
import io.rebalancer.coordinator.group.GroupEvent.DeleteRequested;
import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.GroupEvent.LeaveRequested;
import io.rebalancer.coordinator.group.GroupEvent.OffsetDeleteRequested;
import io.rebalancer.coordinator.group.GroupEvent.OffsetsExpired;
import io.rebalancer.coordinator.group.GroupEvent.PersistFailed;
import io.rebalancer.coordinator.group.GroupEvent.Persisted;
import io.rebalancer.coordinator.group.GroupEvent.Resigned;
import io.rebalancer.coordinator.group.GroupEvent.Restored;
import io.rebalancer.coordinator.group.GroupEvent.SyncRequested;
import io.rebalancer.coordinator.group.GroupEvent.TimerExpired;
import io.rebalancer.coordinator.group.GroupEvent.TopicsChanged;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A group of either kind, classic or server-assigned: a state and an event in, a state and effects
 * out. Which kind is decided when the first member joins an empty group, and stays until the group
 * is empty again. Holds nothing but its settings; safe for any thread.
 */
public final class GroupStateMachine {

  /** What happens alike in both kinds of group, apart from who is in them and why. */
  private record Common(Joining joining, Leaving leaving, Silence silence) {
    static Common of(GroupRules rules, Membership membership) {
      return new Common(
          new Joining(rules, membership), new Leaving(membership), new Silence(membership));
    }
  }

  private final GroupRules rules;
  private final Rebalance rebalance;
  private final Replacing replacing;
  private final Syncing syncing;
  private final Expiry expiry;
  private final Served served;
  private final Targets targets;
  private final OverFull overFull;
  private final Common classicCommon;
  private final Common servedCommon;

  /** For classic groups alone. */
  public GroupStateMachine(GroupRules rules) {
    this(rules, assignment -> Opaque.empty());
  }

  /**
   * @param encoder what a member of a server-assigned group is told of its partitions
   */
  public GroupStateMachine(GroupRules rules, Function<Assignment, Opaque> encoder) {
    this.rules = rules;
    rebalance = new Rebalance(rules);
    replacing = new Replacing(rebalance);
    syncing = new Syncing(rebalance);
    expiry = new Expiry(rules, rebalance);
    Granting granting = new Granting(encoder);
    targets = new Targets(rules, granting);
    served = new Served(rules, granting, targets);
    overFull = new OverFull(rules, served);
    classicCommon = Common.of(rules, new ClassicMembership(rebalance, replacing));
    servedCommon = Common.of(rules, served);
  }

  /** Throws {@link IllegalStateException} when the state contradicts itself. */
  public Step step(GroupState group, GroupEvent event) {
    return event.accept(isServed(group) ? new ServedStep(group) : new ClassicStep(group));
  }

  private boolean isServed(GroupState group) {
    return group.hard().members().isEmpty()
        ? rules.options(group.id()).isServer()
        : group.hard().shares() != null;
  }

  /** What is the same in both. */
  private abstract static class AnyStep implements GroupEvent.Visitor<Step> {

    final GroupState group;
    private final Common common;

    AnyStep(GroupState group, Common common) {
      this.group = group;
      this.common = common;
    }

    @Override
    public Step onJoin(JoinRequested event) {
      return common.joining().on(group, event);
    }

    @Override
    public Step onLeave(LeaveRequested event) {
      return common.leaving().on(group, event);
    }

    @Override
    public Step onCommit(CommitRequested event) {
      return Offsets.on(group, event);
    }

    @Override
    public Step onDelete(DeleteRequested event) {
      return Deletion.on(group, event);
    }

    @Override
    public Step onOffsetDelete(OffsetDeleteRequested event) {
      return Deletion.on(group, event);
    }

    @Override
    public Step onOffsetsExpired(OffsetsExpired event) {
      return Deletion.on(group, event);
    }

    @Override
    public Step onTimer(TimerExpired event) {
      TimerId timer = event.timer();
      return switch (timer.kind()) {
        case SESSION -> common.silence().session(group, new MemberId(timer.member()));
        case PENDING -> common.silence().pending(group, new MemberId(timer.member()));
        default -> expired(timer);
      };
    }

    abstract Step expired(TimerId timer);

    /** Nobody dies of the failover itself: every member gets its whole session timeout again. */
    @Override
    public Step onRestored(Restored event) {
      Draft draft = new Draft(group);
      draft.members.values().forEach(m -> draft.arm(Kind.SESSION, m.id(), m.sessionTimeoutMs()));
      restored(draft);
      return draft.done();
    }

    abstract void restored(Draft draft);

    @Override
    public Step onResigned(Resigned event) {
      Draft draft = new Draft(group);
      for (MemberId member : new ArrayList<>(draft.joins.keySet())) {
        draft.reply(
            draft.joins.remove(member), Answer.Joined.failed(event.error(), member.value()));
      }
      resign(draft, event.error());
      draft.moveTo(GroupPhase.DEAD, Reason.RESIGNED);
      return draft.done();
    }

    abstract void resign(Draft draft, GroupError error);

    final Step unchanged() {
      return new Step(group, List.of());
    }
  }

  private final class ClassicStep extends AnyStep {

    ClassicStep(GroupState group) {
      super(group, classicCommon);
    }

    @Override
    public Step onSync(SyncRequested event) {
      return syncing.on(group, event);
    }

    @Override
    public Step onHeartbeat(HeartbeatRequested event) {
      return Heartbeats.on(group, event);
    }

    @Override
    Step expired(TimerId timer) {
      return expiry.on(group, timer);
    }

    @Override
    public Step onPersisted(Persisted event) {
      return Replacing.awaits(group, event.write())
          ? replacing.stored(group, event.write())
          : syncing.on(group, event);
    }

    @Override
    public Step onPersistFailed(PersistFailed event) {
      return Replacing.awaits(group, event.write())
          ? replacing.notStored(group, event.write(), event.error())
          : syncing.on(group, event);
    }

    @Override
    public Step onAssigned(Assigned event) {
      return unchanged();
    }

    @Override
    public Step onAssignFailed(AssignFailed event) {
      return unchanged();
    }

    /**
     * Only groups led by our own client: others learn of topics through Metadata and their group
     * leader's rejoin, and a second rebalance from here would be one too many.
     */
    @Override
    public Step onTopicsChanged(TopicsChanged event) {
      Member leader = group.member(group.hard().leader());
      boolean wanted =
          group.hard().members().values().stream()
              .anyMatch(m -> m.topics().stream().anyMatch(event.topics()::contains));
      Draft draft = new Draft(group);
      if (wanted) {
        rebalance.unblock(draft);
      }
      if (!wanted || leader == null || !leader.client().isOurs()) {
        return draft.done();
      }
      if (group.phase() == GroupPhase.STABLE) {
        rebalance.prepare(draft, Reason.TOPIC_CHANGE);
      } else if (group.phase() == GroupPhase.COMPLETING_REBALANCE) {
        draft.stale = true;
      }
      return draft.done();
    }

    @Override
    void restored(Draft draft) {
      if (draft.members.size() > rules.maxSize()) {
        rebalance.prepare(draft, Reason.OVER_FULL);
      }
    }

    @Override
    void resign(Draft draft, GroupError error) {
      for (MemberId member : new ArrayList<>(draft.syncs.keySet())) {
        draft.reply(draft.syncs.remove(member), Answer.Synced.failed(error));
      }
      draft.replacements.forEach(
          (member, replacement) ->
              draft.reply(replacement.request(), Answer.Joined.failed(error, member.value())));
      draft.replacements.clear();
      draft.endAwait();
    }
  }

  private final class ServedStep extends AnyStep {

    ServedStep(GroupState group) {
      super(group, servedCommon);
    }

    @Override
    public Step onJoin(JoinRequested event) {
      return OverFull.joined(super.onJoin(event), event.memberId());
    }

    @Override
    public Step onSync(SyncRequested event) {
      return served.sync(group, event);
    }

    @Override
    public Step onHeartbeat(HeartbeatRequested event) {
      return served.heartbeat(group, event);
    }

    @Override
    Step expired(TimerId timer) {
      return switch (timer.kind()) {
        case ASSIGNMENT -> targets.tryAgain(group);
        case REBALANCE -> overFull.timeout(group);
        default -> served.expired(group, timer);
      };
    }

    @Override
    public Step onPersisted(Persisted event) {
      return Granting.stored(group, event.write(), NONE);
    }

    @Override
    public Step onPersistFailed(PersistFailed event) {
      return Granting.stored(group, event.write(), event.error());
    }

    @Override
    public Step onAssigned(Assigned event) {
      return targets.assigned(group, event);
    }

    @Override
    public Step onAssignFailed(AssignFailed event) {
      return targets.notAssigned(group, event);
    }

    @Override
    public Step onTopicsChanged(TopicsChanged event) {
      return served.topicsChanged(group, event.topics());
    }

    @Override
    void restored(Draft draft) {
      served.restored(draft);
      overFull.restored(draft);
    }

    @Override
    void resign(Draft draft, GroupError error) {
      served.resign(draft, error);
    }
  }
}
