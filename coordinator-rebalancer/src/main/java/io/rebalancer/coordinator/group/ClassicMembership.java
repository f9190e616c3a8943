package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_SERVER_ERROR;

import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;

/** Members of a group whose leader assigns: whoever comes or goes starts a round for everybody. */
final class ClassicMembership implements Membership {

  private final Rebalance rebalance;
  private final Replacing replacing;

  ClassicMembership(Rebalance rebalance, Replacing replacing) {
    this.rebalance = rebalance;
    this.replacing = replacing;
  }

  @Override
  public boolean speaksWith(GroupState group, JoinRequested join) {
    var members = group.hard().members().values();
    return members.isEmpty()
        || (join.protocolType().equals(group.hard().protocolType())
            && join.protocols().stream()
                .anyMatch(p -> members.stream().allMatch(member -> member.knows(p.name()))));
  }

  @Override
  public void admit(Draft draft, JoinRequested join, MemberId id) {
    if (draft.members.isEmpty()) {
      draft.protocolType = join.protocolType();
      draft.leader = id.value();
    }
    draft.members.put(id, Joining.member(join, id, join.instanceId(), Opaque.empty()));
    draft.newcomers.add(id);
    draft.joins.put(id, join.request());
    draft.arm(Kind.NEW_MEMBER, id, GroupRules.NEW_MEMBER_JOIN_TIMEOUT_MS);
    if (draft.phase() == GroupPhase.PREPARING_REBALANCE) {
      draft.latecomers |= draft.initial;
      rebalance.unblock(draft);
      rebalance.endIfAllJoined(draft);
    } else {
      rebalance.prepare(draft, Reason.MEMBER_JOIN);
    }
  }

  @Override
  public void rejoin(Draft draft, JoinRequested join, Member known) {
    boolean same = known.protocols().equals(join.protocols());
    boolean leads = known.id().value().equals(draft.leader);
    switch (draft.phase()) {
      case PREPARING_REBALANCE -> {
        if (draft.unstorable && known.topics().equals(join.topics())) {
          draft.reply(
              join.request(), Answer.Joined.failed(UNKNOWN_SERVER_ERROR, known.id().value()));
          draft.arm(Kind.SESSION, known.id(), known.sessionTimeoutMs());
          return;
        }
        rebalance.unblock(draft);
        park(draft, join, known);
        rebalance.endIfAllJoined(draft);
      }
      case COMPLETING_REBALANCE -> answerOrPrepare(draft, join, known, same);
      // A group leader's always starts a round, even with equal metadata.
      case STABLE -> answerOrPrepare(draft, join, known, same && !leads);
      case EMPTY, DEAD, ASSIGNING, RECONCILING ->
          throw new IllegalStateException(
              draft.id + ": expected no such member in " + draft.phase() + ", found " + known.id());
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
    draft.members.put(
        known.id(), Joining.member(join, known.id(), known.instanceId(), known.assignment()));
    RequestId superseded = draft.joins.put(known.id(), join.request());
    draft.reply(superseded, Answer.Joined.failed(REBALANCE_IN_PROGRESS, known.id().value()));
  }

  @Override
  public void replace(Draft draft, JoinRequested join, Member former) {
    replacing.on(draft, join, former);
  }

  @Override
  public void drop(Draft draft, MemberId member) {
    rebalance.drop(draft, member);
  }

  @Override
  public void afterDrop(Draft draft, Reason reason) {
    rebalance.afterDrop(draft, reason);
  }

  @Override
  public void afterPending(Draft draft) {
    rebalance.endIfAllJoined(draft);
  }
}
