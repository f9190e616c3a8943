package io.rebalancer.core.assignor.member;

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
  public GroupAssignment assign(GroupInput group) {
    int[] owners = Claims.owners(group);
    if (Claims.alike(group)) {
      new EvenShares(group, owners).divide();
    } else {
      new UnevenShares(group, owners).divide();
    }
    return new GroupAssignment(group, owners);
  }
}
