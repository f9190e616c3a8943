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

/** LeaveGroup: all who leave in one request cause one rebalance. */
final class Leaving {

  private final Rebalance rebalance;

  Leaving(Rebalance rebalance) {
    this.rebalance = rebalance;
  }

  Step on(GroupState group, LeaveRequested leave) {
    Draft draft = new Draft(group);
    if (group.phase() == GroupPhase.DEAD) {
      draft.reply(leave.request(), new Answer.Left(COORDINATOR_NOT_AVAILABLE, List.of()));
      return draft.done();
    }
    List<Answer.Left.Result> results = new ArrayList<>();
    for (Identity identity : leave.members()) {
      results.add(new Answer.Left.Result(identity, remove(draft, identity)));
    }
    draft.reply(leave.request(), new Answer.Left(NONE, List.copyOf(results)));
    if (results.stream().anyMatch(result -> result.error() == NONE)) {
      rebalance.afterDrop(draft, Reason.MEMBER_LEAVE);
    }
    return draft.done();
  }

  private GroupError remove(Draft draft, Identity identity) {
    if (identity.memberId().isEmpty() || !identity.instanceId().isEmpty()) {
      return UNKNOWN_MEMBER_ID; // No member has an instance id: Join refuses them.
    }
    MemberId id = new MemberId(identity.memberId());
    if (draft.pending.remove(id)) {
      draft.cancel(Kind.PENDING, id);
      return NONE;
    }
    if (!draft.members.containsKey(id)) {
      return UNKNOWN_MEMBER_ID;
    }
    rebalance.drop(draft, id);
    return NONE;
  }
}
