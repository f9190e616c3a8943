package io.rebalancer.core.assignor.member;

import io.rebalancer.core.testkit.MemberAssignorContract;
import org.junit.jupiter.api.Nested;

/** Each shipped assignor with what it promises. */
class ShippedAssignorsTest {

  @Nested
  class Range extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new RangeMemberAssignor();
    }

    /** One for each topic, all with the first members. */
    @Override
    protected int largestDifference(GroupInput group) {
      return alike(group) ? group.topics().size() : Integer.MAX_VALUE;
    }
  }

  @Nested
  class RoundRobin extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new RoundRobinMemberAssignor();
    }

    @Override
    protected int largestDifference(GroupInput group) {
      return alike(group) ? 1 : Integer.MAX_VALUE;
    }
  }

  @Nested
  class Sticky extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new StickyAssignor();
    }

    @Override
    protected boolean sticky() {
      return true;
    }

    @Override
    protected int largestDifference(GroupInput group) {
      return alike(group) ? 1 : Integer.MAX_VALUE;
    }
  }

  @Nested
  class Uniform extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new UniformAssignor();
    }

    @Override
    protected boolean sticky() {
      return true;
    }

    @Override
    protected int largestDifference(GroupInput group) {
      return alike(group) ? 1 : Integer.MAX_VALUE;
    }
  }

  @Nested
  class CooperativeSticky extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new CooperativeStickyAssignor();
    }

    @Override
    protected boolean sticky() {
      return true;
    }

    @Override
    protected boolean withholds() {
      return true;
    }

    @Override
    protected int largestDifference(GroupInput group) {
      return alike(group) ? 1 : Integer.MAX_VALUE;
    }
  }

  /** What balances loads promises nothing about numbers. */
  @Nested
  class Weighted extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new WeightedAssignor();
    }

    @Override
    protected boolean sticky() {
      return true;
    }
  }

  @Nested
  class WeightedByThreeMovesARound extends MemberAssignorContract {

    @Override
    protected MemberAssignor assignor() {
      return new WeightedAssignor(WeightedAssignor.Options.defaults().withMaxMoves(3));
    }

    @Override
    protected boolean sticky() {
      return true;
    }

    /** A third of the partitions of the largest of these groups. */
    @Override
    protected int roundsToSettle() {
      return 20;
    }
  }
}
