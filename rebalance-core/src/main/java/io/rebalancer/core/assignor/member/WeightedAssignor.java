package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;
import static java.util.Objects.requireNonNull;

/**
 * Balances what partitions weigh and not how many there are. A member's relative load is what its
 * partitions weigh together, divided by its capacity; the largest relative load is to be small, and
 * then few partitions are to move.
 *
 * <p>What nobody owns goes, the heaviest first, to the subscriber that then carries least in
 * proportion to its capacity. What somebody owns stays unless a move pays: from the most loaded
 * member that partition goes to that member by which the larger of both loads falls most, as long
 * as the taker then carries less than the giver did by more than the {@linkplain Options#damping
 * damping}. Partitions that weigh nothing change no load: they never move, and where nobody owns
 * them they are spread by number.
 *
 * <p><b>Guarantee.</b> Let d be the damping, and p, of weight w > 0, a partition of a member with
 * relative load r. Let n members subscribe to p's topic, that have capacity C and carry W together.
 * Once no move pays any more,
 *
 * <pre>r <= (W + (n - 1) w) / ((1 - d) C)</pre>
 *
 * <p>Proof: no other of the n members, with load L and capacity c, would carry less than (1 - d) r
 * with p added: (1 - d) r c <= L + w. The owner itself carries r times its own capacity, which is
 * (1 - d) r times that or more. The sum of these n inequalities is (1 - d) r C <= W + (n - 1) w.
 *
 * <p>If all have the same subscriptions, W and C are those of the group: the most loaded member is
 * above the mean W / C by less than its lightest partition on a member of average capacity, and by
 * the damping. With c the largest capacity and O the least largest load there can be, w <= c O and
 * W <= C O, so that r <= O (1 + (n - 1) c / C) / (1 - d). With different subscriptions W is what
 * the subscribers of the topic carry, also of other topics; that says nothing of the optimum, as
 * partitions are not moved in chains or exchanged.
 *
 * <p>It holds when the result has been reached without {@link Options#maxMoves} in the way. With at
 * least one move a round, {@link GroupInput#withPrevious} with the last result gets there in
 * finitely many rounds: each move makes the loads, sorted from the largest down, smaller in the
 * order of dictionaries. From then on nothing moves while weights and members stay the same.
 *
 * <p>Where nobody owned anything it holds with d = 0. If also all have the same subscriptions, r <=
 * (2 - 1/n) O. Proof: let w be the last, lightest partition of weight that the most loaded member
 * got; leave out all that came later, and let m have been placed, all as heavy or heavier, of
 * weight W. Of the k = min(n, m) members with the largest capacities, C together, each would have
 * carried r or more with w: r C <= W - w + k w. W / C <= O, as m partitions need no other members;
 * and k w <= W, so that r <= O + (k - 1) / k O.
 *
 * <p>Weights are counted in units of about 2^-60 of what all subscribed partitions weigh together;
 * what is less than half of that counts as nothing.
 *
 * <p>Of choices that leave the same loads one in the rack of a replica is taken.
 */
public final class WeightedAssignor implements MemberAssignor {

  private final Options options;

  public WeightedAssignor() {
    this(Options.defaults());
  }

  public WeightedAssignor(Options options) {
    this.options = requireNonNull(options, "options");
  }

  @Override
  public String name() {
    return "weighted";
  }

  @Override
  public GroupAssignment assign(GroupInput group) {
    WeightedShares shares = new WeightedShares(group, Claims.owners(group));
    shares.placeFree();
    int free = 0;
    for (int place : shares.ranking.places) {
      free += shares.before[place] == NOBODY ? 1 : 0;
    }
    if (free > 0 && shares.audiences.count() > 1) { // What one audience was given pays no move.
      new Relief(shares, true, 0, 0).run();
    }
    if (free < shares.ranking.places.length) {
      new Relief(shares, false, options.damping, options.maxMoves).run();
    }
    return new GroupAssignment(group, shares.owners);
  }

  /**
   * What keeps partitions where they are.
   *
   * @param maxMoves how many partitions at most are taken in one round from an owner that is still
   *     there and subscribes; the most valuable moves come first, and the next rounds go on. What
   *     nobody owns is always given to somebody and does not count.
   * @param damping by what fraction of the giver's relative load the taker's has to stay below it:
   *     weights that wander by less make nothing move
   */
  public record Options(int maxMoves, double damping) {

    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final double DEFAULT_DAMPING = 0.1;

    /** Throws {@link IllegalArgumentException} that names the option and what is expected. */
    public Options {
      if (maxMoves < 0) {
        throw new IllegalArgumentException("maxMoves: " + maxMoves + " (expected: 0 or more)");
      }
      if (!(damping >= 0 && damping < 1)) {
        throw new IllegalArgumentException(
            "damping: " + damping + " (expected: 0 or more, and less than 1)");
      }
    }

    public static Options defaults() {
      return new Options(UNLIMITED, DEFAULT_DAMPING);
    }

    public Options withMaxMoves(int value) {
      return new Options(value, damping);
    }

    public Options withDamping(double value) {
      return new Options(maxMoves, value);
    }
  }
}
