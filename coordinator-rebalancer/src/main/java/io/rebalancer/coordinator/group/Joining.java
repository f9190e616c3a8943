package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.GROUP_MAX_SIZE_REACHED;
import static io.rebalancer.coordinator.group.GroupError.INCONSISTENT_GROUP_PROTOCOL;
import static io.rebalancer.coordinator.group.GroupError.INVALID_SESSION_TIMEOUT;
import static io.rebalancer.coordinator.group.GroupError.MEMBER_ID_REQUIRED;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static io.rebalancer.coordinator.group.GroupError.UNSUPPORTED_VERSION;

import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;

/** JoinGroup (Kafka 4.4.0: {@code GroupMetadataManager.classicGroupJoinToClassicGroup}). */
final class Joining {

  private final GroupRules rules;
  private final Rebalance rebalance;

  Joining(GroupRules rules, Rebalance rebalance) {
    this.rules = rules;
    this.rebalance = rebalance;
  }

  Step on(GroupState group, JoinRequested join) {
    GroupError refused = refusal(group, join);
    Draft draft = new Draft(group);
    if (refused != NONE) {
      draft.reply(join.request(), Answer.Joined.failed(refused, join.memberId()));
    } else if (join.memberId().isEmpty()) {
      firstJoin(draft, join);
    } else {
      MemberId id = new MemberId(join.memberId());
      Member known = draft.members.get(id);
      if (draft.pending.remove(id)) {
        draft.cancel(Kind.PENDING, id);
        admit(draft, join, id);
      } else if (known == null) {
        draft.reply(join.request(), Answer.Joined.failed(UNKNOWN_MEMBER_ID, join.memberId()));
      } else {
        rejoin(draft, join, known);
      }
    }
    return draft.done();
  }

  private GroupError refusal(GroupState group, JoinRequested join) {
    if (!join.instanceId().isEmpty()) {
      // Kafka's answer where static membership is off; its clients say to unset the instance id.
      return UNSUPPORTED_VERSION;
    }
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
    return speaksWith(group, join) ? NONE : INCONSISTENT_GROUP_PROTOCOL;
  }

  /** While preparing, parked Joins count, so that late members of an over-full group are out. */
  private boolean isFull(GroupState group, JoinRequested join) {
    Member known = group.member(join.memberId());
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
    draft.members.put(id, member(join, id, Opaque.empty()));
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
    draft.members.put(known.id(), member(join, known.id(), known.assignment()));
    RequestId superseded = draft.joins.put(known.id(), join.request());
    draft.reply(superseded, Answer.Joined.failed(REBALANCE_IN_PROGRESS, known.id().value()));
  }

  private static Member member(JoinRequested join, MemberId id, Opaque assignment) {
    return new Member(
        id,
        join.client(),
        join.sessionTimeoutMs(),
        join.rebalanceTimeoutMs(),
        join.protocols(),
        join.topics(),
        assignment);
  }
}
