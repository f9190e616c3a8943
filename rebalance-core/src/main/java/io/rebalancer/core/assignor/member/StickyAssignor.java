package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.SortedMap;

/**
 * Balance first, then as few moves as any assignment of that balance can have.
 *
 * <p>Balanced means that the loads, sorted, are the least that there can be: no member can hand a
 * partition on, directly or by way of others, to one that has at least two fewer. With the same
 * subscriptions for all, loads then differ by one at most. A move is a partition whose owner still
 * is there and subscribes, and that goes to another.
 *
 * <p>A topic is spread over as many members as there are to take some of it.
 */
public final class StickyAssignor implements MemberAssignor {

  @Override
  public String name() {
    return "sticky";
  }

  @Override
  public SortedMap<MemberId, Assignment> assign(GroupInput group) {
    Claims claims = Claims.of(group);
    int[][] counts = claims.alike() ? EvenCounts.of(claims) : new BalancedCounts(claims).counts();
    return Deal.of(claims, counts);
  }
}
