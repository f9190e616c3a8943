package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What callers get wrong: a defined result, or an error that names member, topic and value. */
class BadInputTest {

  private static final MemberId A = new MemberId("a");
  private static final MemberId B = new MemberId("b");
  private static final MemberId C = new MemberId("c");

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  private static Member member(String id, String... topics) {
    return Member.of(id, Set.of(topics));
  }

  private static GroupInput group(int partitions, Member... members) {
    return GroupInput.of(Map.of("t", PartitionSet.range(0, partitions)), Arrays.asList(members));
  }

  @Test
  void aMemberIdGivenTwiceIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> group(3, member("b"), member("a", "t"), member("b", "t")))
        .withMessage("member b: given twice (expected: each member once)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> group(3).withMembers(List.of(member("b"), member("b"))))
        .withMessage("member b: given twice (expected: each member once)");
  }

  @Test
  void ofClaimsOfOneGenerationTheFirstMemberByIdIsBelieved() {
    GroupInput group =
        group(
            4,
            member("b", "t").owning(t(0, 1), 3),
            member("a", "t").owning(t(1, 2), 3),
            member("c", "t").owning(t(0, 2, 3), 2));

    SortedMap<MemberId, Assignment> shares = new StickyAssignor().assign(group).shares();

    assertThat(shares).containsEntry(A, t(1, 2)).containsEntry(B, t(0)).containsEntry(C, t(3));
    assertThat(new UniformAssignor().assign(group).shares()).isEqualTo(shares);
  }

  @Test
  void whatTwoClaimIsGivenToNobodyWhoDoesNotClaimIt() {
    GroupInput group =
        group(
            4,
            member("a", "t").owning(t(0, 1, 2, 3), 3),
            member("b", "t").owning(t(0, 1, 2, 3), 3),
            member("c", "t"));

    SortedMap<MemberId, Assignment> shares = new CooperativeStickyAssignor().assign(group).shares();

    assertThat(shares.values()).containsOnly(Assignment.empty());
  }

  @Test
  void anAssignmentThatGivesAPartitionToTwoIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                GroupAssignment.of(
                    group(4, member("a", "t"), member("b", "t")), Map.of(A, t(0, 1), B, t(1, 2))))
        .withMessage("member b: t-1 is a's");
  }

  @Test
  void anAssignmentOfWhatTheGroupDoesNotHaveIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupAssignment.of(group(4, member("a", "t")), Map.of(B, t(1))))
        .withMessage("member b: is not in the group");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupAssignment.of(group(4, member("a", "t")), Map.of(A, t(4))))
        .withMessage("member a: t-4 does not exist");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                GroupAssignment.of(
                    group(4, member("a", "t")),
                    Map.of(A, Assignment.of("u", PartitionSet.range(0, 1)))))
        .withMessage("member a: u-0 does not exist");
  }

  @Test
  void aPreviousAssignmentOfWhatIsGoneCountsAsFarAsItIsStillThere() {
    GroupInput before =
        GroupInput.of(
            Map.of("t", PartitionSet.range(0, 8), "gone", PartitionSet.range(0, 2)),
            List.of(member("a", "t", "gone"), member("b", "t"), member("left", "t")));
    GroupAssignment previous =
        GroupAssignment.of(
            before,
            Map.of(
                A,
                t(0, 7).plus(Assignment.of("gone", PartitionSet.range(0, 2))),
                B,
                t(2, 3),
                new MemberId("left"),
                t(1, 4)));
    GroupInput now = group(6, member("a", "t"), member("b", "t")).withPrevious(previous);

    assertThat(new StickyAssignor().assign(now).shares().values())
        .containsExactly(t(0, 1, 4), t(2, 3, 5));
    assertThat(new CooperativeStickyAssignor().assign(now).shares().values())
        .as("who is gone holds nothing up")
        .containsExactly(t(0, 1, 4), t(2, 3, 5));
  }

  @Test
  void unknownTopicsHaveNoPartitions() {
    GroupInput group = group(2, member("a", "t", "unknown"), member("b", "unknown"));

    Assignors.all()
        .forEach(
            (name, assignor) ->
                assertThat(assignor.assign(group).shares().values())
                    .as(name)
                    .containsExactly(t(0, 1), Assignment.empty()));
  }

  @Test
  void emptyGroupsHaveAnEmptyResult() {
    Assignors.all()
        .forEach(
            (name, assignor) -> {
              assertThat(assignor.assign(GroupInput.of(Map.of(), List.of())).members())
                  .as(name)
                  .isEmpty();
              assertThat(assignor.assign(group(3)).owner(new TopicPartition("t", 0)))
                  .as(name)
                  .isEmpty();
              assertThat(assignor.assign(group(0, member("a", "t"))).loads())
                  .as(name)
                  .containsExactly(0);
            });
  }

  @Test
  void aWeightThatIsNoneIsRefusedByPartitionAndValue() {
    for (double weight :
        new double[] {-1, -Double.MIN_VALUE, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> group(3).withWeights(Map.of("t", new double[] {1, weight})))
          .withMessage("weight of t-1: " + weight + " (expected: a finite number, 0 or more)");
    }
    assertThat(group(3).withWeights(Map.of("t", new double[] {1, 0})).weight("t", 1)).isZero();
    assertThat(group(3).withWeights(Map.of("t", new double[] {4})).weight("t", 2)).isEqualTo(1);
  }

  @Test
  void aCapacityThatIsNoneIsRefusedByMemberAndValue() {
    for (double capacity : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> member("a", "t").withCapacity(capacity))
          .withMessage(
              "capacity of member a: " + capacity + " (expected: a finite number above 0)");
    }
  }

  @Test
  void aNegativePartitionNumberIsRefusedOrIsNobodys() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> t(0, -3))
        .withMessage("partition: -3 (expected: 0 to 2147483646)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TopicPartition("t", -3))
        .withMessageContaining("-3");
    GroupInput group = group(3).withRacks(Map.of("t", List.of(Set.of("r"))));
    assertThat(group.racks("t", -1)).isEmpty();
    assertThat(group.weight("t", -1)).isEqualTo(1);
  }

  @Test
  void morePartitionsThanAnIntCountsAreRefusedByTopic() {
    Map<String, PartitionSet> topics = new TreeMap<>();
    topics.put("t", PartitionSet.range(0, 2_000_000_000));
    topics.put("u", PartitionSet.range(0, 147_483_648));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupInput.of(topics, List.of()))
        .withMessage(
            "topic u: 147483648 partitions beside 2000000000 of other topics"
                + " (expected: at most 2147483639 in all)");
  }

  @Test
  void nullIsRefusedByName() {
    assertThatNullPointerException()
        .isThrownBy(() -> GroupInput.of(null, List.of()))
        .withMessage("topics");
    assertThatNullPointerException()
        .isThrownBy(() -> GroupInput.of(Map.of(), null))
        .withMessage("members");
    assertThatNullPointerException()
        .isThrownBy(() -> group(1).withPrevious(null))
        .withMessage("value");
    assertThatNullPointerException()
        .isThrownBy(() -> group(1).withMembers(null))
        .withMessage("value");
    assertThatNullPointerException()
        .isThrownBy(() -> member("a").owning(null, 1))
        .withMessage("owned");
    Map<String, PartitionSet> noPartitions = new HashMap<>();
    noPartitions.put("t", null);
    assertThatNullPointerException()
        .isThrownBy(() -> GroupInput.of(noPartitions, List.of()))
        .withMessageContaining("t");
    assertThatNullPointerException()
        .isThrownBy(() -> GroupInput.of(Map.of(), Arrays.asList(member("a"), null)));
  }

  /** Minutes of work if it went from range to range for each partition. */
  @Test
  @Timeout(60)
  void gapsBetweenPartitionsCostLittle() {
    int count = 100_000;
    PartitionSet even = PartitionSet.of(IntStream.range(0, count).map(p -> 2 * p).toArray());
    GroupInput group = GroupInput.of(Map.of("t", even), hosts(1_000));
    for (MemberAssignor assignor : Assignors.all().values()) {
      assertThat(demandStays(group, assignor)).as(assignor.name()).isEqualTo(count);
    }
  }

  /** Minutes of work if each kind of partition were tried with each rack. */
  @Test
  @Timeout(60)
  void aRackForEachMemberCostsLittle() {
    int count = 10_000;
    List<Set<String>> racks = new ArrayList<>();
    for (int p = 0; p < count; p++) {
      racks.add(Set.of("host-" + p % 1_000, "host-" + (p * 7 + 1) % 1_000));
    }
    GroupInput group =
        GroupInput.of(Map.of("t", PartitionSet.range(0, count)), hosts(1_000))
            .withRacks(Map.of("t", racks));
    for (MemberAssignor assignor : Assignors.all().values()) {
      assertThat(demandStays(group, assignor)).as(assignor.name()).isEqualTo(count);
    }
  }

  private static List<Member> hosts(int count) {
    List<Member> members = new ArrayList<>();
    for (int m = 0; m < count; m++) {
      members.add(Member.of("m" + m, Set.of("t")).withRack("host-" + m));
    }
    return members;
  }

  /** Assigns twice; how many have an owner then. */
  private static int demandStays(GroupInput group, MemberAssignor assignor) {
    GroupAssignment first = assignor.assign(group);
    SortedMap<MemberId, Assignment> shares = first.shares();
    List<Member> claiming =
        group.members().stream().map(m -> m.owning(shares.get(m.id()), 1)).toList();
    GroupAssignment second = assignor.assign(group.withMembers(claiming));

    assertThat(GroupAssignment.of(group, shares)).as(assignor.name()).isEqualTo(first);
    assertThat(second).as(assignor.name()).isEqualTo(first);
    return IntStream.of(second.loads()).sum();
  }
}
