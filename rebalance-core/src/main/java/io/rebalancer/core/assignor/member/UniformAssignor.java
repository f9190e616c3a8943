package io.rebalancer.core.assignor.member;

/**
 * What KIP-848 asks of its server-side {@code uniform}: loads that differ by one at most where all
 * subscribe alike, the fewest moves from the previous assignment, and every partition to its next
 * owner at once. The group's coordinator sees to it that the old owner has let go first.
 */
public final class UniformAssignor implements MemberAssignor {

  private final StickyAssignor sticky = new StickyAssignor();

  @Override
  public String name() {
    return "uniform";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    return sticky.assign(group);
  }
}
