package io.rebalancer.coordinator.group;

import io.rebalancer.coordinator.group.GroupEvent.CommitRequested;
import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.GroupEvent.LeaveRequested;
import io.rebalancer.coordinator.group.GroupEvent.PersistFailed;
import io.rebalancer.coordinator.group.GroupEvent.Persisted;
import io.rebalancer.coordinator.group.GroupEvent.Resigned;
import io.rebalancer.coordinator.group.GroupEvent.Restored;
import io.rebalancer.coordinator.group.GroupEvent.SyncRequested;
import io.rebalancer.coordinator.group.GroupEvent.TimerExpired;
import io.rebalancer.coordinator.group.GroupEvent.TopicsChanged;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.List;

/**
 * Kafka's classic group: a state and an event in, a state and effects out. Holds nothing but its
 * settings; safe for any thread.
 */
public final class GroupStateMachine {

  private final Rebalance rebalance;
  private final Joining joining;
  private final Syncing syncing;
  private final Leaving leaving;
  private final Replacing replacing;
  private final Expiry expiry;

  public GroupStateMachine(GroupRules rules) {
    rebalance = new Rebalance(rules);
    replacing = new Replacing(rebalance);
    joining = new Joining(rules, rebalance, replacing);
    syncing = new Syncing(rebalance);
    leaving = new Leaving(rebalance);
    expiry = new Expiry(rules, rebalance);
  }

  /** Throws {@link IllegalStateException} when the state contradicts itself. */
  public Step step(GroupState group, GroupEvent event) {
    return event.accept(new Transition(group));
  }

  private final class Transition implements GroupEvent.Visitor<Step> {

    private final GroupState group;

    Transition(GroupState group) {
      this.group = group;
    }

    @Override
    public Step onJoin(JoinRequested event) {
      return joining.on(group, event);
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
    public Step onLeave(LeaveRequested event) {
      return leaving.on(group, event);
    }

    @Override
    public Step onCommit(CommitRequested event) {
      return Offsets.on(group, event);
    }

    @Override
    public Step onTimer(TimerExpired event) {
      return expiry.on(group, event.timer());
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

    /**
     * Only groups led by our own client: others learn of topics through Metadata and their group
     * leader's rejoin, and a second rebalance from here would be one too many.
     */
    @Override
    public Step onTopicsChanged(TopicsChanged event) {
      Member leader = group.member(group.hard().leader());
      boolean concerned =
          leader != null
              && leader.client().isOurs()
              && group.hard().members().values().stream()
                  .anyMatch(m -> m.topics().stream().anyMatch(event.topics()::contains));
      if (!concerned) {
        return new Step(group, List.of());
      }
      Draft draft = new Draft(group);
      if (group.phase() == GroupPhase.STABLE) {
        rebalance.prepare(draft, Reason.TOPIC_CHANGE);
      } else if (group.phase() == GroupPhase.COMPLETING_REBALANCE) {
        draft.stale = true;
      }
      return draft.done();
    }

    /** Nobody dies of the failover itself: every member gets its whole session timeout again. */
    @Override
    public Step onRestored(Restored event) {
      Draft draft = new Draft(group);
      draft.members.values().forEach(m -> draft.arm(Kind.SESSION, m.id(), m.sessionTimeoutMs()));
      return draft.done();
    }

    @Override
    public Step onResigned(Resigned event) {
      Draft draft = new Draft(group);
      for (MemberId member : new ArrayList<>(draft.joins.keySet())) {
        draft.reply(
            draft.joins.remove(member), Answer.Joined.failed(event.error(), member.value()));
      }
      for (MemberId member : new ArrayList<>(draft.syncs.keySet())) {
        draft.reply(draft.syncs.remove(member), Answer.Synced.failed(event.error()));
      }
      draft.replacements.forEach(
          (member, replacement) ->
              draft.reply(
                  replacement.request(), Answer.Joined.failed(event.error(), member.value())));
      draft.replacements.clear();
      draft.endAwait();
      draft.moveTo(GroupPhase.DEAD, Reason.RESIGNED);
      return draft.done();
    }
  }
}
