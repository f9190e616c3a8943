package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.GROUP_MAX_SIZE_REACHED;
import static io.rebalancer.coordinator.group.GroupError.INCONSISTENT_GROUP_PROTOCOL;
import static io.rebalancer.coordinator.group.GroupError.INVALID_REQUEST;
import static io.rebalancer.coordinator.group.GroupError.INVALID_SESSION_TIMEOUT;
import static io.rebalancer.coordinator.group.GroupError.MEMBER_ID_REQUIRED;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;

import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import org.jspecify.annotations.Nullable;

/** JoinGroup (Kafka 4.4.0: {@code GroupMetadataManager.classicGroupJoinToClassicGroup}). */
final class Joining {

  private final GroupRules rules;
  private final Membership membership;

  Joining(GroupRules rules, Membership membership) {
    this.rules = rules;
    this.membership = membership;
  }

  Step on(GroupState group, JoinRequested join) {
    GroupError refused = refusal(group, join);
    Draft draft = new Draft(group);
    if (refused != NONE) {
      draft.reply(join.request(), Answer.Joined.failed(refused, join.memberId()));
      if (refused == GROUP_MAX_SIZE_REACHED) {
        leaveOut(draft, group, join);
      }
    } else if (!join.memberId().isEmpty()) {
      joinAgain(draft, join, group.member(join.memberId()));
    } else if (join.instanceId().isEmpty()) {
      firstJoin(draft, join);
    } else {
      Member former = group.instance(join.instanceId());
      if (former == null) {
        membership.admit(draft, join, join.freshId());
      } else {
        membership.replace(draft, join, former);
      }
    }
    return draft.done();
  }

  /** Nobody need wait for a member of an over-full group that came too late, nor for a client. */
  private void leaveOut(Draft draft, GroupState group, JoinRequested join) {
    Member late = group.member(join.memberId());
    if (late == null && !join.memberId().isEmpty()) {
      MemberId id = new MemberId(join.memberId());
      if (draft.pending.remove(id)) {
        draft.cancel(Kind.PENDING, id);
        membership.afterPending(draft);
      }
    } else if (late != null && group.check(join.memberId(), join.instanceId()) == NONE) {
      membership.drop(draft, late.id());
      membership.afterDrop(draft, Reason.MEMBER_LEAVE);
    }
  }

  private void joinAgain(Draft draft, JoinRequested join, @Nullable Member known) {
    MemberId id = new MemberId(join.memberId());
    if (known != null) {
      membership.rejoin(draft, join, known);
    } else if (draft.pending.remove(id)) {
      draft.cancel(Kind.PENDING, id);
      membership.admit(draft, join, id);
    } else {
      draft.reply(join.request(), Answer.Joined.failed(UNKNOWN_MEMBER_ID, join.memberId()));
    }
  }

  private GroupError refusal(GroupState group, JoinRequested join) {
    if (join.sessionTimeoutMs() < rules.minSessionTimeoutMs()
        || join.sessionTimeoutMs() > rules.maxSessionTimeoutMs()) {
      return INVALID_SESSION_TIMEOUT;
    }
    // Kafka takes it, and a round that waits for nobody throws out whoever joined before.
    if (join.rebalanceTimeoutMs() <= 0) {
      return INVALID_REQUEST;
    }
    if (group.phase() == GroupPhase.DEAD) {
      return COORDINATOR_NOT_AVAILABLE;
    }
    if (isFull(group, join)) {
      return GROUP_MAX_SIZE_REACHED;
    }
    boolean speaks = !join.protocolType().isEmpty() && !join.protocols().isEmpty();
    if (!speaks || !membership.speaksWith(group, join)) {
      return INCONSISTENT_GROUP_PROTOCOL;
    }
    return join.memberId().isEmpty() || join.instanceId().isEmpty()
        ? NONE
        : group.check(join.memberId(), join.instanceId());
  }

  /**
   * While preparing, of an over-full group's members those count that have joined, so that the late
   * ones are out. A newcomer never takes the place of a member that has yet to join, unlike in
   * Kafka, where the parked Joins alone count for it too.
   */
  private boolean isFull(GroupState group, JoinRequested join) {
    // A static member that comes back takes nobody's place but its own.
    Member known =
        join.instanceId().isEmpty()
            ? group.member(join.memberId())
            : group.instance(join.instanceId());
    return switch (group.phase()) {
      case EMPTY, DEAD -> false;
      case PREPARING_REBALANCE ->
          known == null
              ? group.hard().members().size() >= rules.maxSize()
              : !group.waiting().joins().containsKey(known.id())
                  && group.waiting().joins().size() >= rules.maxSize();
      case COMPLETING_REBALANCE, STABLE, ASSIGNING, RECONCILING ->
          known == null
              ? group.hard().members().size() >= rules.maxSize()
              : group.hard().shares() != null && OverFull.isOut(group, known.id(), rules.maxSize());
    };
  }

  private void firstJoin(Draft draft, JoinRequested join) {
    if (!join.idRequired()) {
      membership.admit(draft, join, join.freshId());
      return;
    }
    draft.pending.add(join.freshId());
    draft.arm(Kind.PENDING, join.freshId(), join.sessionTimeoutMs());
    draft.reply(join.request(), Answer.Joined.failed(MEMBER_ID_REQUIRED, join.freshId().value()));
  }

  static Member member(JoinRequested join, MemberId id, String instanceId, Opaque assignment) {
    return new Member(
        id,
        instanceId,
        join.client(),
        join.sessionTimeoutMs(),
        join.rebalanceTimeoutMs(),
        join.protocols(),
        join.topics(),
        assignment);
  }
}
