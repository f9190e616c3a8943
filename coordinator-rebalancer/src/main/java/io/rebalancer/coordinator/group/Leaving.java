package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;

import io.rebalancer.coordinator.group.GroupEvent.Identity;
import io.rebalancer.coordinator.group.GroupEvent.LeaveRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.List;

/** LeaveGroup: all who leave in one request cause one membership. */
final class Leaving {

  private final Membership membership;

  Leaving(Membership membership) {
    this.membership = membership;
  }

  Step on(GroupState group, LeaveRequested leave) {
    Draft draft = new Draft(group);
    if (group.phase() == GroupPhase.DEAD) {
      draft.reply(leave.request(), new Answer.Left(COORDINATOR_NOT_AVAILABLE, List.of()));
      return draft.done();
    }
    List<Answer.Left.Result> results = new ArrayList<>();
    for (Identity identity : leave.members()) {
      results.add(new Answer.Left.Result(identity, remove(group, draft, identity)));
    }
    draft.reply(leave.request(), new Answer.Left(NONE, List.copyOf(results)));
    if (results.stream().anyMatch(result -> result.error() == NONE)) {
      membership.afterDrop(draft, Reason.MEMBER_LEAVE);
    }
    return draft.done();
  }

  private GroupError remove(GroupState group, Draft draft, Identity identity) {
    if (identity.memberId().isEmpty()) {
      return removeInstance(draft, identity.instanceId());
    }
    MemberId id = new MemberId(identity.memberId());
    if (draft.pending.remove(id)) {
      draft.cancel(Kind.PENDING, id);
      return NONE;
    }
    GroupError refused = group.check(identity.memberId(), identity.instanceId());
    if (refused == NONE && !draft.members.containsKey(id)) {
      return UNKNOWN_MEMBER_ID; // Named twice.
    }
    if (refused == NONE) {
      membership.drop(draft, id);
    }
    return refused;
  }

  /** An administrator's request: whoever has the instance id goes, whatever its member id. */
  private GroupError removeInstance(Draft draft, String instanceId) {
    for (Member member : draft.members.values()) {
      if (member.isStatic() && member.instanceId().equals(instanceId)) {
        membership.drop(draft, member.id());
        return NONE;
      }
    }
    return UNKNOWN_MEMBER_ID;
  }
}
