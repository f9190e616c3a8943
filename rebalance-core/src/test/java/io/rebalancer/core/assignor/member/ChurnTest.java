package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.assignor.member.BestShares.Worth;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.Seeds;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Groups over ten to twenty changes each: every single step is as good as can be. */
class ChurnTest {

  private static final int SEQUENCES = 1_000;

  private final MemberAssignor sticky = new StickyAssignor();
  private final MemberAssignor uniform = new UniformAssignor();
  private final MemberAssignor cooperative = new CooperativeStickyAssignor();

  private static Map<TopicPartition, MemberId> owners(GroupAssignment assignment) {
    Map<TopicPartition, MemberId> owners = new HashMap<>();
    assignment.shares().forEach((id, share) -> share.stream().forEach(p -> owners.put(p, id)));
    return owners;
  }

  /**
   * Loads of a group that subscribes alike are the quotas: an equal part, and one more for as many
   * as there are left over. Who has more than its quota lets go of the difference, and that is
   * least when the larger quotas are theirs who have most: if of two the one with less had the
   * larger one, exchanging the quotas would make the sum no greater.
   */
  private static int leastMoves(int[] owned, int all) {
    int[] most = Arrays.stream(owned).map(n -> -n).sorted().map(n -> -n).toArray();
    return IntStream.range(0, most.length)
        .map(i -> Math.max(0, most[i] - all / most.length - (i < all % most.length ? 1 : 0)))
        .sum();
  }

  /** The number of partitions that somebody wants. */
  private static int wanted(GroupInput group) {
    return group.topics().entrySet().stream()
        .filter(e -> group.members().stream().anyMatch(m -> m.topics().contains(e.getKey())))
        .mapToInt(e -> e.getValue().size())
        .sum();
  }

  /** Demands the best of what sticky aims at, and returns its moves. */
  private static int demandBest(Churn churn, GroupInput group, GroupAssignment result) {
    BestShares best = new BestShares(group, churn.owners());
    Map<TopicPartition, MemberId> given = owners(result);
    Worth worth = best.worth(given);
    assertThat(given).hasSize(wanted(group));
    assertThat(best.isBest(given)).as("%s of %s is the best", result, churn).isTrue();
    if (churn.alike) {
      int[] loads = result.loads();
      assertThat(Arrays.stream(loads).max().orElse(0) - Arrays.stream(loads).min().orElse(0))
          .isLessThanOrEqualTo(1);
      assertThat(worth.moves()).isEqualTo(leastMoves(best.ownedByMember(), wanted(group)));
    }
    if (churn.isCounted) {
      assertThat(worth).as("%s of %s", result, churn).isEqualTo(best.best());
    }
    return worth.moves();
  }

  @Test
  void stickyAndUniformMoveTheLeastInEveryStepHoweverTheyLearnOfThePast() {
    int moves = 0;
    int bothWays = 0;
    for (long seed : Seeds.upTo(SEQUENCES)) {
      Churn churn = new Churn(seed);
      for (int step = churn.steps(); step > 0; step--) {
        churn.step();
        GroupInput group = churn.input();
        GroupAssignment result = sticky.assign(group);

        try {
          moves += demandBest(churn, group, result);
          assertThat(uniform.assign(group)).isEqualTo(result);
          if (churn.inputWithPrevious().isPresent()) {
            GroupInput withPrevious = churn.inputWithPrevious().get();
            assertThat(sticky.assign(withPrevious)).isEqualTo(result);
            assertThat(uniform.assign(withPrevious)).isEqualTo(result);
            bothWays++;
          }
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + ", " + churn + ": " + e.getMessage(), e);
        }
        churn.apply(result, churn.someWhoMissIt(), false);
      }
    }
    assertThat(moves).as("moves in all").isPositive();
    assertThat(bothWays).as("steps with both pasts").isPositive();
  }

  /** One round more where somebody does not hear of one and goes on with what it had. */
  @Test
  void cooperativeMembersNeverHaveAPartitionTwiceAndSettleInTwoRounds() {
    int heldBack = 0;
    for (long seed : Seeds.upTo(SEQUENCES)) {
      Churn churn = new Churn(seed);
      for (int step = churn.steps(); step > 0; step--) {
        churn.step();
        Set<MemberId> missed = churn.someWhoMissIt();
        try {
          int rounds = settle(churn, missed);

          assertThat(rounds).isLessThanOrEqualTo(missed.isEmpty() ? 2 : 3);
          heldBack += rounds - 1;
        } catch (AssertionError e) {
          throw new AssertionError("seed " + seed + ", " + churn + ": " + e.getMessage(), e);
        }
      }
    }
    assertThat(heldBack).as("rounds for what was held back").isPositive();
  }

  private int settle(Churn churn, Set<MemberId> missed) {
    Set<MemberId> deaf = missed;
    for (int round = 1; ; round++) {
      GroupInput group = churn.input();
      GroupAssignment aim = sticky.assign(group);
      GroupAssignment result = cooperative.assign(group);
      int moves = demandBest(churn, group, aim);

      if (!churn.claimsContradict()) {
        assertThat(new BestShares(group, churn.owners()).worth(owners(result)).moves())
            .as("taken away")
            .isEqualTo(moves);
      }
      assertThat(owners(aim)).containsAllEntriesOf(owners(result));
      churn
          .inputWithPrevious()
          .ifPresent(previous -> assertThat(cooperative.assign(previous)).isEqualTo(result));
      churn.apply(result, deaf, true);
      if (deaf.isEmpty() && owners(result).size() == wanted(group)) {
        return round;
      }
      deaf = Set.of();
    }
  }

  @Test
  void theSameSeedIsTheSameLife() {
    for (long seed : Seeds.fixed()) {
      assertThat(life(seed)).isEqualTo(life(seed));
    }
  }

  private String life(long seed) {
    StringBuilder life = new StringBuilder();
    Churn churn = new Churn(seed);
    for (int step = churn.steps(); step > 0; step--) {
      churn.step();
      life.append(churn).append('\n');
      churn.apply(sticky.assign(churn.input()), churn.someWhoMissIt(), false);
    }
    return life.toString();
  }

  @Test
  void theProofRefusesWhatIsLessBalancedOrMovesWithoutNeed() {
    GroupInput group =
        GroupInput.of(
            Map.of("t", PartitionSet.range(0, 2), "u", PartitionSet.range(0, 2)),
            List.of(
                Member.of("a", Set.of("t")),
                Member.of("b", Set.of("t", "u")),
                Member.of("c", Set.of("u"))));
    MemberId a = new MemberId("a");
    MemberId b = new MemberId("b");
    MemberId c = new MemberId("c");
    BestShares best = new BestShares(group, given(a, b, b, c));

    assertThat(best.best()).isEqualTo(new Worth(6, 0));
    assertThat(best.isBest(given(a, b, b, c))).isTrue();
    assertThat(best.isBest(given(a, a, c, c))).as("less balanced").isFalse();
    assertThat(best.isBest(given(a, b, c, c))).as("as balanced, with a move").isFalse();
  }

  private static Map<TopicPartition, MemberId> given(
      MemberId t0, MemberId t1, MemberId u0, MemberId u1) {
    return Map.of(
        new TopicPartition("t", 0), t0,
        new TopicPartition("t", 1), t1,
        new TopicPartition("u", 0), u0,
        new TopicPartition("u", 1), u1);
  }

  @Test
  void theModelRefusesAPartitionThatAnotherStillHas() {
    assertThatThrownBy(
            () -> {
              for (long seed : Seeds.upTo(SEQUENCES)) {
                Churn churn = new Churn(seed);
                for (int step = churn.steps(); step > 0; step--) {
                  churn.step();
                  churn.apply(sticky.assign(churn.input()), Set.of(), true);
                }
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching("t\\d+-\\d+ given to m\\d+ while m\\d+ has it");
  }

  @Test
  void theFormulaGivesTheLargerQuotasToThoseWhoHaveMost() {
    assertThat(leastMoves(new int[] {5, 0, 5}, 11)).isEqualTo(2);
    assertThat(leastMoves(new int[] {10}, 10)).isZero();
    assertThat(leastMoves(new int[] {0, 10}, 10)).isEqualTo(5);
    assertThat(leastMoves(new int[] {0, 5, 5}, 10)).isEqualTo(3);
    assertThat(leastMoves(new int[] {}, 0)).isZero();
  }
}
