package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.WeightedAssignor.Options;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WeightedAssignorTest {

  private final WeightedAssignor weighted = new WeightedAssignor();

  private static Assignment t(int... partitions) {
    return partitions.length == 0
        ? Assignment.empty()
        : Assignment.of("t", PartitionSet.of(partitions));
  }

  private static Member member(String id, String... topics) {
    return Member.of(id, Set.of(topics));
  }

  /** A topic t with these weights. */
  private static GroupInput group(double[] weights, Member... members) {
    return GroupInput.of(Map.of("t", PartitionSet.range(0, weights.length)), Arrays.asList(members))
        .withWeights(Map.of("t", weights));
  }

  private static double[] weights(double... weights) {
    return weights;
  }

  private List<Assignment> shares(GroupInput group) {
    return List.copyOf(weighted.assign(group).shares().values());
  }

  @Test
  void isRegisteredByItsName() {
    assertThat(Assignors.named("weighted")).isInstanceOf(WeightedAssignor.class);
  }

  @Test
  void optionsHaveDefaultsAndAreChecked() {
    assertThat(Options.defaults()).isEqualTo(new Options(Integer.MAX_VALUE, 0.1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Options(-1, 0))
        .withMessage("maxMoves: -1 (expected: 0 or more)");
    for (double damping : weights(-0.1, 1, Double.NaN, Double.POSITIVE_INFINITY)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Options(0, damping))
          .withMessage("damping: " + damping + " (expected: 0 or more, and less than 1)");
    }
  }

  @Test
  void weightsAndCapacitiesThatAreNoneAreRefusedByPartitionAndMember() {
    for (double bad : weights(-1, Double.NaN, Double.POSITIVE_INFINITY, -Double.MIN_VALUE)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> group(weights(1, bad), member("a", "t")))
          .withMessage("weight of t-1: " + bad + " (expected: a finite number, 0 or more)");
    }
    for (double bad : weights(0, -1, Double.NaN, Double.POSITIVE_INFINITY)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> member("a", "t").withCapacity(bad))
          .withMessage("capacity of member a: " + bad + " (expected: a finite number above 0)");
    }
  }

  @Test
  void theHeaviestGoFirstToWhoThenCarriesLeastInProportionToItsCapacity() {
    assertThat(shares(group(weights(1, 5, 2, 4), member("a", "t"), member("b", "t"))))
        .containsExactly(t(0, 1), t(2, 3));
    assertThat(
            shares(group(weights(1, 5, 2, 4), member("a", "t"), member("b", "t").withCapacity(3))))
        .containsExactly(t(0, 2), t(1, 3));
  }

  @Test
  void withoutWeightsAllWeighTheSame() {
    GroupInput plain =
        GroupInput.of(
            Map.of("t", PartitionSet.range(0, 12)),
            List.of(member("a", "t"), member("b", "t").withCapacity(2)));

    assertThat(weighted.assign(plain).loads()).containsExactly(4, 8);
    assertThat(weighted.assign(plain.withWeights(Map.of()))).isEqualTo(weighted.assign(plain));
  }

  @Test
  void whatWeighsNothingIsSpreadByNumberAndNeverMoves() {
    double[] nothing = new double[9];

    assertThat(
            weighted
                .assign(group(nothing, member("a", "t"), member("b", "t").withCapacity(2)))
                .loads())
        .containsExactly(3, 6);
    assertThat(
            shares(
                group(
                    nothing,
                    member("a", "t").owning(t(0, 1, 2, 3, 4, 5, 6, 7, 8), 1),
                    member("b", "t"))))
        .containsExactly(t(0, 1, 2, 3, 4, 5, 6, 7, 8), t());
    assertThat(
            shares(
                group(
                    weights(0, 6, 6, 0),
                    member("a", "t").owning(t(0, 1, 2, 3), 1),
                    member("b", "t"))))
        .containsExactly(t(0, 1, 3), t(2));
  }

  @Test
  void groupsWithoutMembersPartitionsOrSubscribersHaveAResult() {
    assertThat(shares(group(weights(1, 2)))).isEmpty();
    assertThat(weighted.assign(group(weights(1, 2))).owners).containsExactly(-1, -1);
    assertThat(shares(group(weights(), member("a", "t")))).containsExactly(t());
    assertThat(shares(group(weights(1, 2), member("a", "other")))).containsExactly(t());
    assertThat(shares(group(weights(1, 2), member("a", "t")))).containsExactly(t(0, 1));
    assertThat(
            weighted
                .assign(
                    group(
                        weights(3, 3),
                        member("a", "t"),
                        member("b"),
                        member("c", "t"),
                        member("d", "t")))
                .loads())
        .containsExactly(1, 0, 1, 0);
  }

  @Test
  void ownersAndPartitionsThatAreGoneCountAsNone() {
    GroupInput then =
        group(weights(1, 1, 1, 1, 1, 1), member("a", "t"), member("b", "t"), member("c", "t"));
    GroupAssignment before =
        GroupAssignment.of(
            then,
            Map.of(
                new MemberId("a"),
                t(0, 1),
                new MemberId("b"),
                t(2, 3),
                new MemberId("c"),
                t(4, 5)));
    GroupInput now =
        group(weights(1, 1, 1, 1, 1), member("a", "t"), member("c", "u"), member("d", "t"));

    assertThat(shares(now.withPrevious(before))).containsExactly(t(0, 1, 4), t(), t(2, 3));
  }

  @Test
  void extremesOfWeightAndCapacityNeitherOverflowNorGoOnForever() {
    double[] weights = new double[40];
    Arrays.setAll(weights, p -> p % 2 == 0 ? Double.MAX_VALUE : Double.MIN_VALUE);
    GroupInput extreme =
        group(
            weights,
            member("a", "t").withCapacity(Double.MIN_VALUE),
            member("b", "t").withCapacity(Double.MAX_VALUE),
            member("c", "t").withCapacity(Double.MAX_VALUE));
    GroupAssignment result = new WeightedAssignor(new Options(9, 0)).assign(extreme);

    new WeightedGroup(extreme).demandValid(result);
    assertThat(IntStream.range(0, 40).filter(p -> p % 2 == 0 && result.owners[p] == 1).count())
        .isEqualTo(10);
    assertThat(IntStream.range(0, 40).filter(p -> p % 2 == 0 && result.owners[p] == 0).count())
        .isZero();
    Arrays.fill(weights, Double.MIN_VALUE);
    assertThat(weighted.assign(group(weights, member("a", "t"), member("b", "t"))).loads())
        .containsExactly(20, 20);
  }

  /** Added and taken away as they come, such sums would depend on the order. */
  @Test
  void equalLoadsOfUnequalSumsAreSeenAsEqual() {
    double[] weights = new double[1000];
    Arrays.fill(weights, 0.1);
    WeightedAssignor undamped = new WeightedAssignor(new Options(Options.UNLIMITED, 0));
    GroupInput one =
        group(
            weights,
            member("a", "t").owning(t(IntStream.range(0, 1000).toArray()), 1),
            member("b", "t"),
            member("c", "t"),
            member("d", "t"));

    assertThat(undamped.assign(one).loads()).containsOnly(250);
    assertThat(new WeightedGroup(one).moves(undamped.assign(one))).isEqualTo(750);
  }

  @Test
  void theMostValuableMoveComesFirst() {
    WeightedAssignor one = new WeightedAssignor(Options.defaults().withMaxMoves(1));
    GroupInput group =
        group(
            weights(1, 3, 8, 2, 1),
            member("a", "t").owning(t(0, 1, 2, 3), 1),
            member("b", "t").owning(t(4), 1));
    GroupAssignment first = one.assign(group);
    GroupAssignment second = one.assign(group.withPrevious(first));

    assertThat(first.shares().values()).containsExactly(t(0, 1, 3), t(2, 4));
    assertThat(second.shares().values()).containsExactly(t(0, 1, 3, 4), t(2));
    assertThat(one.assign(group.withPrevious(second))).isEqualTo(second);
  }

  @Test
  void aReplicasRackDecidesOnlyBetweenEqualLoads() {
    Map<String, List<Set<String>>> racks =
        Map.of("t", List.of(Set.of("y"), Set.of("x"), Set.of("y"), Set.of("x"), Set.of("x")));
    Member a = member("a", "t").withRack("x");
    Member b = member("b", "t").withRack("y");

    assertThat(shares(group(weights(4, 4, 2, 2, 0), a, b).withRacks(racks)))
        .containsExactly(t(1, 3, 4), t(0, 2));
    assertThat(shares(group(weights(4, 1, 1, 1, 1), a, b).withRacks(racks)))
        .as("never at the cost of balance")
        .containsExactly(t(1, 2, 3, 4), t(0));
  }

  @Test
  void racksDoNotChangeLoads() {
    for (int i = 0; i < 500; i++) {
      Random random = new Random(i);
      WeightedGroup group = WeightedGroup.random(random, true, false, 9, 3, 12);
      Map<String, List<Set<String>>> racks = new TreeMap<>();
      for (String topic : group.input().topics().keySet()) {
        racks.put(
            topic, IntStream.range(0, 12).mapToObj(p -> Set.of("r" + random.nextInt(3))).toList());
      }
      List<Member> placed = new ArrayList<>();
      group.input().members().forEach(m -> placed.add(m.withRack("r" + random.nextInt(4))));
      GroupInput racked = group.input().withMembers(placed).withRacks(racks);
      double[] without = sorted(group.relative(weighted.assign(group.input())));

      assertThat(sorted(group.relative(weighted.assign(racked))))
          .as("seed %d", i)
          .containsExactly(without, within(without[without.length - 1] * 1e-12));
    }
  }

  private static double[] sorted(double[] numbers) {
    Arrays.sort(numbers);
    return numbers;
  }

  /** Every weight is each round up to a fifth above or below what it is on the average. */
  @Test
  void weightsThatWanderMoveLittleWithDampingAndTheBoundStillHolds() {
    int damped = wander(Options.defaults());
    int undamped = wander(Options.defaults().withDamping(0));

    assertThat(damped).isLessThan(30);
    assertThat(undamped).isGreaterThan(100 * damped);
  }

  private static int wander(Options options) {
    Random random = new Random(7);
    double[] average = random.doubles(1_000, 10, 200).toArray();
    Member[] members = new Member[20];
    Arrays.setAll(members, m -> member("m" + m, "t").withCapacity(1 + m % 3));
    WeightedAssignor assignor = new WeightedAssignor(options);
    GroupAssignment last = assignor.assign(group(average, members));
    int moves = 0;
    for (int round = 0; round < 300; round++) {
      double[] now = average.clone();
      Arrays.setAll(now, p -> average[p] * (0.8 + 0.4 * random.nextDouble()));
      WeightedGroup group = new WeightedGroup(group(now, members).withPrevious(last));
      last = assignor.assign(group.input());
      group.demandGuarantee(last, options.damping());
      moves += group.moves(last);
    }
    return moves;
  }

  @Test
  void whoJoinsALargeGroupGetsItsShareAndOthersKeepTheirs() {
    double[] weights = new Random(3).doubles(20_000, 1, 3).toArray();
    Member[] members = new Member[201];
    Arrays.setAll(members, m -> member("m" + m, "t"));
    GroupAssignment before =
        weighted.assign(group(weights, Arrays.copyOf(members, members.length - 1)));
    WeightedGroup group = new WeightedGroup(group(weights, members).withPrevious(before));
    GroupAssignment after = weighted.assign(group.input());

    group.demandGuarantee(after, 0.1);
    assertThat(group.moves(after))
        .isEqualTo(after.shares().get(new MemberId("m200")).size())
        .isBetween(1, 100);
  }
}
