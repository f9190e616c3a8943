package io.rebalancer.coordinator.group;

import io.rebalancer.core.model.MemberId;

/** Clients that were not heard of for too long. */
final class Silence {

  private final Membership membership;

  Silence(Membership membership) {
    this.membership = membership;
  }

  /** A member whose request is parked is alive; its session starts anew with the answer. */
  Step session(GroupState group, MemberId member) {
    Draft draft = new Draft(group);
    if (draft.members.containsKey(member) && !draft.waits(member)) {
      membership.drop(draft, member);
      membership.afterDrop(draft, Reason.MEMBER_EXPIRED);
    }
    return draft.done();
  }

  Step pending(GroupState group, MemberId id) {
    Draft draft = new Draft(group);
    if (draft.pending.remove(id)) {
      membership.afterPending(draft);
    }
    return draft.done();
  }
}
