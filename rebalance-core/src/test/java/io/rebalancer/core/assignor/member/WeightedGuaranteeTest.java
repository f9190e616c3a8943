package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.WeightedAssignor.Options;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What {@link WeightedAssignor} promises, on random groups and against the optimum. */
class WeightedGuaranteeTest {

  private static final double DAMPING = Options.defaults().damping();

  private final WeightedAssignor weighted = new WeightedAssignor();

  @Test
  void everyMembersLoadIsWithinTheBoundWhateverWeightsCapacitiesSubscriptionsAndOwners() {
    for (int i = 0; i < 6_000; i++) {
      Random random = new Random(i);
      WeightedGroup group = WeightedGroup.random(random, i % 2 == 0, i % 3 > 0, 9, 5, 12);
      double damping = i % 5 == 0 ? 0 : i % 5 == 1 ? 0.3 : DAMPING;
      WeightedAssignor assignor = new WeightedAssignor(Options.defaults().withDamping(damping));
      check(i + " fresh", group, assignor, 0);
      check(i + " scattered", group.with(group.scattered(random)), assignor, damping);
    }
  }

  private static void check(
      String seed, WeightedGroup group, WeightedAssignor assignor, double damping) {
    GroupAssignment result = assignor.assign(group.input());
    try {
      group.demandValid(result);
      group.demandGuarantee(result, damping);
      assertThat(assignor.assign(group.input().withPrevious(result)))
          .as("assigned again")
          .isEqualTo(result);
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + group + " gives " + result, e);
    }
  }

  @Test
  void theOrderInWhichAGroupIsPutTogetherMakesNoDifference() {
    for (int i = 0; i < 500; i++) {
      Random random = new Random(i);
      WeightedGroup group = WeightedGroup.random(random, i % 2 == 0, i % 3 > 0, 9, 5, 12);
      GroupInput first = group.scattered(random);
      List<Member> members = new ArrayList<>(first.members());
      Collections.shuffle(members, random);

      assertThat(weighted.assign(first.withMembers(members)))
          .as("seed %d", i)
          .isEqualTo(weighted.assign(first));
    }
  }

  /** The worst ratios of these groups are in docs/assignors.md. */
  @Test
  void freshGroupsOfOneSubscriptionAreWithinTwiceTheOptimum() {
    double worst = 1;
    for (int i = 0; i < 4_000; i++) {
      WeightedGroup group = WeightedGroup.random(new Random(i), true, i % 2 == 0, 4, 2, 4);
      int n = group.input().ids.length;
      double ratio = ratio(group, weighted.assign(group.input()));

      assertThat(ratio).as("seed %d", i).isLessThanOrEqualTo((2 - 1.0 / n) * (1 + 1e-9));
      worst = Math.max(worst, ratio);
    }
    assertThat(worst).isBetween(1.2, 1.34);
  }

  @Test
  void ownedPartitionsOfOneSubscriptionAreWithinTheProvenMultipleOfTheOptimum() {
    double worst = 1;
    for (int i = 0; i < 4_000; i++) {
      Random random = new Random(i);
      WeightedGroup fresh = WeightedGroup.random(random, true, i % 2 == 0, 4, 2, 4);
      WeightedGroup group = fresh.with(fresh.scattered(random));
      double[] capacities =
          group.input().members().stream().mapToDouble(Member::capacity).toArray();
      double most = Arrays.stream(capacities).max().orElseThrow();
      double all = Arrays.stream(capacities).sum();
      double ratio = ratio(group, weighted.assign(group.input()));

      assertThat(ratio)
          .as("seed %d", i)
          .isLessThanOrEqualTo(
              (1 + (capacities.length - 1) * most / all) / (1 - DAMPING) * (1 + 1e-9));
      worst = Math.max(worst, ratio);
    }
    assertThat(worst).isBetween(1.2, 2.0);
  }

  @Test
  void differentSubscriptionsStayNearTheOptimumOnSmallGroups() {
    double worst = 1;
    for (int i = 0; i < 4_000; i++) {
      WeightedGroup group = WeightedGroup.random(new Random(i), false, i % 2 == 0, 4, 3, 3);
      worst = Math.max(worst, ratio(group, weighted.assign(group.input())));
    }
    assertThat(worst).isBetween(1.2, 2.0);
  }

  private static double ratio(WeightedGroup group, GroupAssignment result) {
    double optimum = group.optimum();
    return optimum == 0 ? 1 : group.largest(result) / optimum;
  }

  @Test
  void roundsOfFewMovesEndAndThenTheBoundHolds() {
    int longest = 0;
    for (int i = 0; i < 1_000; i++) {
      Random random = new Random(i);
      int maxMoves = 1 + random.nextInt(3);
      WeightedAssignor bounded =
          new WeightedAssignor(Options.defaults().withMaxMoves(maxMoves).withDamping(0.01));
      WeightedGroup fresh = WeightedGroup.random(random, i % 2 == 0, i % 3 > 0, 6, 4, 8);
      WeightedGroup group = fresh.with(fresh.scattered(random));
      GroupAssignment last = bounded.assign(group.input());
      int rounds = 1;
      assertThat(group.moves(last)).as("seed %d", i).isLessThanOrEqualTo(maxMoves);
      while (true) {
        group = group.with(group.input().withPrevious(last));
        GroupAssignment next = bounded.assign(group.input());
        if (next.equals(last)) {
          break;
        }
        assertThat(group.moves(next)).as("seed %d", i).isBetween(1, maxMoves);
        assertThat(group.largest(next))
            .as("seed %d", i)
            .isLessThanOrEqualTo(group.largest(last) * (1 + 1e-12));
        last = next;
        assertThat(++rounds).as("seed %d", i).isLessThan(100);
      }
      group.demandValid(last);
      group.demandGuarantee(last, 0.01);
      longest = Math.max(longest, rounds);
    }
    assertThat(longest).isGreaterThan(5);
  }

  /**
   * A partition that is handed on twice counts once. Of one that comes back later the move counts
   * until then, so that now and then a last move has to wait for the next round.
   */
  @Test
  void asManyMovesAsAreMadeWithoutABoundAreNearlyAlwaysEnoughWithOne() {
    int differ = 0;
    for (int i = 0; i < 2_000; i++) {
      Random random = new Random(i);
      WeightedGroup fresh = WeightedGroup.random(random, false, true, 9, 5, 12);
      WeightedGroup group = fresh.with(fresh.scattered(random));
      GroupAssignment free = weighted.assign(group.input());
      Options enough = Options.defaults().withMaxMoves(group.moves(free));
      differ += new WeightedAssignor(enough).assign(group.input()).equals(free) ? 0 : 1;
    }
    assertThat(differ).isEqualTo(3); // It is 52 if every handing on counts.
  }

  @Test
  void noMoveIsMadeWhereNoneIsAllowedAndAllIsAssigned() {
    for (int i = 0; i < 500; i++) {
      Random random = new Random(i);
      WeightedGroup fresh = WeightedGroup.random(random, i % 2 == 0, true, 6, 4, 8);
      WeightedGroup group = fresh.with(fresh.scattered(random));
      GroupAssignment result =
          new WeightedAssignor(Options.defaults().withMaxMoves(0)).assign(group.input());

      group.demandValid(result);
      assertThat(group.moves(result)).as("seed %d", i).isZero();
    }
  }
}
