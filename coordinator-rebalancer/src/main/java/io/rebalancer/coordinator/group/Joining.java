package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.GROUP_MAX_SIZE_REACHED;
import static io.rebalancer.coordinator.group.GroupError.INCONSISTENT_GROUP_PROTOCOL;
import static io.rebalancer.coordinator.group.GroupError.INVALID_SESSION_TIMEOUT;
import static io.rebalancer.coordinator.group.GroupError.MEMBER_ID_REQUIRED;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;

import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import org.jspecify.annotations.Nullable;

/** JoinGroup (Kafka 4.4.0: {@code GroupMetadataManager.classicGroupJoinToClassicGroup}). */
final class Joining {

  private final GroupRules rules;
  private final Rebalance rebalance;
  private final Replacing replacing;

  Joining(GroupRules rules, Rebalance rebalance, Replacing replacing) {
    this.rules = rules;
    this.rebalance = rebalance;
    this.replacing = replacing;
  }

  Step on(GroupState group, JoinRequested join) {
    GroupError refused = refusal(group, join);
    Draft draft = new Draft(group);
    if (refused != NONE) {
      draft.reply(join.request(), Answer.Joined.failed(refused, join.memberId()));
    } else if (!join.memberId().isEmpty()) {
      joinAgain(draft, join, group.member(join.memberId()));
    } else if (join.instanceId().isEmpty()) {
      firstJoin(draft, join);
    } else {
      Member former = group.instance(join.instanceId());
      if (former == null) {
        admit(draft, join, join.freshId());
      } else {
        replacing.on(draft, join, former);
      }
    }
    return draft.done();
  }

  private void joinAgain(Draft draft, JoinRequested join, @Nullable Member known) {
    MemberId id = new MemberId(join.memberId());
    if (known != null) {
      rejoin(draft, join, known);
    } else if (draft.pending.remove(id)) {
      draft.cancel(Kind.PENDING, id);
      admit(draft, join, id);
    } else {
      draft.reply(join.request(), Answer.Joined.failed(UNKNOWN_MEMBER_ID, join.memberId()));
    }
  }

  private GroupError refusal(GroupState group, JoinRequested join) {
    if (join.sessionTimeoutMs() < rules.minSessionTimeoutMs()
        || join.sessionTimeoutMs() > rules.maxSessionTimeoutMs()) {
      return INVALID_SESSION_TIMEOUT;
    }
    if (group.phase() == GroupPhase.DEAD) {
      return COORDINATOR_NOT_AVAILABLE;
    }
    if (isFull(group, join)) {
      return GROUP_MAX_SIZE_REACHED;
    }
    if (!speaksWith(group, join)) {
      return INCONSISTENT_GROUP_PROTOCOL;
    }
    return join.memberId().isEmpty() || join.instanceId().isEmpty()
        ? NONE
        : group.check(join.memberId(), join.instanceId());
  }

  /** While preparing, parked Joins count, so that late members of an over-full group are out. */
  private boolean isFull(GroupState group, JoinRequested join) {
    // A static member that comes back takes nobody's place but its own.
    Member known =
        join.instanceId().isEmpty()
            ? group.member(join.memberId())
            : group.instance(join.instanceId());
    return switch (group.phase()) {
      case EMPTY, DEAD -> false;
      case PREPARING_REBALANCE ->
          !(known != null && group.waiting().joins().containsKey(known.id()))
              && group.waiting().joins().size() >= rules.maxSize();
      case COMPLETING_REBALANCE, STABLE ->
          known == null && group.hard().members().size() >= rules.maxSize();
    };
  }

  private static boolean speaksWith(GroupState group, JoinRequested join) {
    if (join.protocolType().isEmpty() || join.protocols().isEmpty()) {
      return false;
    }
    var members = group.hard().members().values();
    return members.isEmpty()
        || (join.protocolType().equals(group.hard().protocolType())
            && join.protocols().stream()
                .anyMatch(p -> members.stream().allMatch(member -> member.knows(p.name()))));
  }

  private void firstJoin(Draft draft, JoinRequested join) {
    if (!join.idRequired()) {
      admit(draft, join, join.freshId());
      return;
    }
    draft.pending.add(join.freshId());
    draft.arm(Kind.PENDING, join.freshId(), join.sessionTimeoutMs());
    draft.reply(join.request(), Answer.Joined.failed(MEMBER_ID_REQUIRED, join.freshId().value()));
  }

  private void admit(Draft draft, JoinRequested join, MemberId id) {
    if (draft.members.isEmpty()) {
      draft.protocolType = join.protocolType();
      draft.leader = id.value();
    }
    draft.members.put(id, member(join, id, join.instanceId(), Opaque.empty()));
    draft.newcomers.add(id);
    draft.joins.put(id, join.request());
    draft.arm(Kind.NEW_MEMBER, id, GroupRules.NEW_MEMBER_JOIN_TIMEOUT_MS);
    if (draft.phase() == GroupPhase.PREPARING_REBALANCE) {
      draft.latecomers |= draft.initial;
      rebalance.endIfAllJoined(draft);
    } else {
      rebalance.prepare(draft, Reason.MEMBER_JOIN);
    }
  }

  private void rejoin(Draft draft, JoinRequested join, Member known) {
    boolean same = known.protocols().equals(join.protocols());
    boolean leads = known.id().value().equals(draft.leader);
    switch (draft.phase()) {
      case PREPARING_REBALANCE -> {
        park(draft, join, known);
        rebalance.endIfAllJoined(draft);
      }
      case COMPLETING_REBALANCE -> answerOrPrepare(draft, join, known, same);
      // A group leader's always starts a round, even with equal metadata.
      case STABLE -> answerOrPrepare(draft, join, known, same && !leads);
      case EMPTY, DEAD ->
          throw new IllegalStateException(
              draft.id + ": expected no member in " + draft.phase() + ", found " + known.id());
    }
  }

  private void answerOrPrepare(Draft draft, JoinRequested join, Member known, boolean atOnce) {
    if (atOnce) {
      draft.reply(join.request(), rebalance.joined(draft, known));
      draft.arm(Kind.SESSION, known.id(), known.sessionTimeoutMs());
      return;
    }
    park(draft, join, known);
    Reason unchanged =
        known.id().value().equals(draft.leader) ? Reason.LEADER_REJOIN : Reason.MEMBER_REJOIN;
    rebalance.prepare(
        draft, known.topics().equals(join.topics()) ? unchanged : Reason.SUBSCRIPTION_CHANGE);
  }

  private static void park(Draft draft, JoinRequested join, Member known) {
    draft.members.put(known.id(), member(join, known.id(), known.instanceId(), known.assignment()));
    RequestId superseded = draft.joins.put(known.id(), join.request());
    draft.reply(superseded, Answer.Joined.failed(REBALANCE_IN_PROGRESS, known.id().value()));
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
