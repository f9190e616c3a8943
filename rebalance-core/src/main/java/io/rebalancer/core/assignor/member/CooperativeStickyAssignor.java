package io.rebalancer.core.assignor.member;

/** {@link StickyAssignor} for cooperative members, in {@link TwoRounds}. */
public final class CooperativeStickyAssignor implements MemberAssignor {

  private final TwoRounds sticky = new TwoRounds(new StickyAssignor());

  @Override
  public String name() {
    return "cooperative-sticky";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    return sticky.assign(group);
  }
}
