package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

/** Placeholder. */
public final class WeightedAssignor implements MemberAssignor {

  public record Options(int maxMoves, double damping) {
    public static final int UNLIMITED = Integer.MAX_VALUE;
    public static final double DAMPING = 0.05;

    public Options {
      if (maxMoves < 0) {
        throw new IllegalArgumentException("maxMoves: " + maxMoves + " (expected: 0 or more)");
      }
      if (!(damping >= 0 && damping < 1)) {
        throw new IllegalArgumentException(
            "damping: " + damping + " (expected: 0 or more and less than 1)");
      }
    }

    public static Options defaults() {
      return new Options(UNLIMITED, DAMPING);
    }
  }

  private final Options options;

  public WeightedAssignor() {
    this(Options.defaults());
  }

  public WeightedAssignor(Options options) {
    this.options = options;
  }

  @Override
  public String name() {
    return "weighted";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    WeightedShares shares = new WeightedShares(group, Claims.owners(group));
    shares.placeFree();
    boolean anyFree = false;
    boolean anyOwned = false;
    for (int place : shares.ranking.places) {
      anyFree |= shares.before[place] == NOBODY;
      anyOwned |= shares.before[place] != NOBODY;
    }
    if (anyFree && shares.audiences.count() > 1) {
      new Relief(shares, true, 0, Long.MAX_VALUE).run();
    }
    if (anyOwned) {
      new Relief(shares, false, options.damping(), options.maxMoves()).run();
    }
    return new GroupAssignment(group.partitions, group.ids, shares.owners);
  }
}
