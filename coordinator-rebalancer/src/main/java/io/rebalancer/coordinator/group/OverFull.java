package io.rebalancer.coordinator.group;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A server-assigned group that has more members than {@code group.max.size}, because it was read
 * back by a coordinator with a lower one. All are to join again, as Kafka demands of a classic
 * group ({@code GroupMetadataManager.onLoaded}, 4.4.0): the first stay in, the others are told that
 * the group is full. Who has not joined within the rebalance timeout is out as far as need be.
 */
final class OverFull {

  private final GroupRules rules;
  private final Membership membership;

  OverFull(GroupRules rules, Membership membership) {
    this.rules = rules;
    this.membership = membership;
  }

  void restored(Draft draft) {
    if (draft.members.size() > rules.maxSize()) {
      draft.unsynced.addAll(draft.members.keySet());
      draft.arm(Kind.REBALANCE, draft.rebalanceTimeoutMs());
    }
  }

  /** Whether {@code member} has yet to join again. */
  static boolean mustJoin(GroupState group, MemberId member, int maxSize) {
    return group.hard().members().size() > maxSize && group.waiting().unsynced().contains(member);
  }

  /** Whether as many as there may be have joined before {@code member}. */
  static boolean isOut(GroupState group, MemberId member, int maxSize) {
    return mustJoin(group, member, maxSize)
        && group.hard().members().keySet().stream()
                .filter(each -> !group.waiting().unsynced().contains(each))
                .count()
            >= maxSize;
  }

  /** {@code memberId} has joined, or was refused and is no member any more. */
  static Step joined(Step step, String memberId) {
    if (memberId.isEmpty() || step.state().waiting().unsynced().isEmpty()) {
      return step;
    }
    Draft draft = new Draft(step.state());
    draft.unsynced.remove(new MemberId(memberId));
    return new Step(draft.done().state(), step.effects());
  }

  /** The last ones first, until there are as many as there may be. */
  Step timeout(GroupState group) {
    Draft draft = new Draft(group);
    List<MemberId> late = new ArrayList<>(draft.unsynced);
    late.retainAll(draft.members.keySet());
    Collections.reverse(late);
    int tooMany = Math.max(0, draft.members.size() - rules.maxSize());
    late.stream().limit(tooMany).forEach(member -> membership.drop(draft, member));
    draft.unsynced.clear();
    if (tooMany > 0) {
      membership.afterDrop(draft, Reason.MEMBER_LEAVE); // Nobody waits for them.
    }
    return draft.done();
  }
}
