package io.rebalancer.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingSupplier;

/**
 * What every {@link MemberAssignor} owes the groups that use it, tried on small groups made from
 * seeds and on odd ones made by hand. A subclass names its assignor and declares what more it
 * promises; {@code -Drebalancer.seed=N} replays the seed that a failure names.
 */
public abstract class MemberAssignorContract {

  protected abstract MemberAssignor assignor();

  /**
   * Whether a plan that is as good as its own stays as it is, whatever it would have made anew; of
   * contradicting claims to it the later generation is believed.
   */
  protected boolean sticky() {
    return false;
  }

  /**
   * Whether it is for cooperative members: what changes hands is nobody's for a round, in which the
   * old owner lets go of it.
   */
  protected boolean withholds() {
    return false;
  }

  /**
   * After how many rounds, each with the result of the one before as what members own, nothing
   * changes any more.
   */
  protected int roundsToSettle() {
    return withholds() ? 2 : 1;
  }

  /** By how many partitions the loads of two members may differ at most once all is settled. */
  protected int largestDifference(GroupInput group) {
    return Integer.MAX_VALUE;
  }

  /** How long a test may take before its assignor counts as one that never ends. */
  protected Duration patience() {
    return Duration.ofMinutes(1);
  }

  int groupsPerSeed() {
    return 20;
  }

  /** Whether all members subscribe to the same topics. */
  protected static boolean alike(GroupInput group) {
    return group.members().stream().map(Member::topics).distinct().count() <= 1;
  }

  @Test
  void itHasANameThatStaysTheSame() {
    assertThat(assignor().name()).isNotBlank().isEqualTo(assignor().name());
  }

  @Test
  void everyPartitionHasOneOwnerWhoSubscribesToIt() {
    onRandomGroups((random, group) -> demandValid(group.input(), assign(group)));
  }

  @Test
  void theOrderInWhichAGroupIsPutTogetherDoesNotMatter() {
    onRandomGroups(
        (random, group) ->
            assertThat(assign(group.shuffled(random)).shares()).isEqualTo(assign(group).shares()));
  }

  @Test
  void assigningAgainMovesNothing() {
    onRandomGroups(
        (random, group) -> {
          GroupAssignment settled = settle(group);

          assertThat(assign(group.owning(settled.shares())))
              .as("what members claim")
              .isEqualTo(settled);
          assertThat(assign(group.withPrevious(settled)))
              .as("the previous assignment")
              .isEqualTo(settled);
        });
  }

  @Test
  void onceAllIsSettledEveryPartitionThatSomebodyWantsHasAnOwner() {
    onRandomGroups(
        (random, group) -> {
          GroupAssignment settled = settle(group);

          assertThat(sum(settled.shares())).isEqualTo(wanted(group.input()));
        });
  }

  @Test
  void whatMembersClaimCountsAsMuchAsThePreviousAssignment() {
    onRandomGroups(
        (random, group) -> {
          SortedMap<MemberId, Assignment> before = group.someShares(random);

          assertThat(assign(group.owning(before)))
              .isEqualTo(assign(group.withPrevious(GroupAssignment.of(group.input(), before))));
        });
  }

  @Test
  void loadsDifferByNoMoreThanItSays() {
    onRandomGroups(
        (random, group) -> {
          int[] loads = settle(group).loads();

          int difference =
              Arrays.stream(loads).max().orElse(0) - Arrays.stream(loads).min().orElse(0);
          assertThat(difference).isLessThanOrEqualTo(largestDifference(group.input()));
        });
  }

  @Test
  void membersThatAreAlikeMayHaveEachOthersShares() {
    assumeTrue(sticky(), "declared as sticky");
    onRandomGroups(
        (random, group) -> {
          SortedMap<MemberId, Assignment> shares = new TreeMap<>(settle(group).shares());
          Map<Object, Member> seen = new HashMap<>();
          for (Member member : group.members()) {
            Object kind = List.of(member.topics(), member.rack(), member.capacity());
            Member other = seen.putIfAbsent(kind, member);
            if (other != null) {
              shares.put(member.id(), shares.put(other.id(), shares.get(member.id())));
            }
          }

          assertThat(assign(group.owning(shares)).shares()).isEqualTo(shares);
        });
  }

  @Test
  void ofTwoClaimsToOnePartitionTheLaterGenerationIsBelieved() {
    assumeTrue(sticky(), "declared as sticky");
    Map<String, PartitionSet> topics = Map.of("t", PartitionSet.range(0, 4));
    Assignment both = largestShare(odd(topics, member("a", "t"), member("b", "t")));

    GroupAssignment laterLast =
        odd(topics, member("a", "t").owning(both, 1), member("b", "t").owning(both, 2));
    GroupAssignment laterFirst =
        odd(topics, member("a", "t").owning(both, 2), member("b", "t").owning(both, 1));

    assertThat(laterLast.shares()).as("b is right").containsEntry(new MemberId("b"), both);
    assertThat(laterFirst.shares()).as("a is right").containsEntry(new MemberId("a"), both);
  }

  /** What one member may have in a plan of its own, so that nothing speaks for moving it. */
  private static Assignment largestShare(GroupAssignment plan) {
    return plan.shares().values().stream()
        .max(Comparator.comparingInt(Assignment::size))
        .orElseThrow();
  }

  @Test
  void whatSomebodyMayStillHaveIsNotGivenToAnother() {
    assumeTrue(withholds(), "declared to withhold what changes hands");
    onRandomGroups(
        (random, group) -> {
          demandHeldBack(group.input(), assign(group));
          RandomGroup unbalanced = group.owning(group.someShares(random));
          demandHeldBack(unbalanced.input(), assign(unbalanced));
        });
  }

  @Test
  void theInputStaysAsItWas() {
    onRandomGroups(
        (random, group) -> {
          GroupInput input = group.input();

          assignor().assign(input);

          assertThat(input).hasToString(group.toString());
        });
  }

  @Test
  void callsDoNotDisturbEachOtherAlsoFromSeveralThreads() {
    Random random = new Random(Seeds.fixed()[0]);
    MemberAssignor one = assignor();
    List<GroupInput> groups =
        IntStream.range(0, 100).mapToObj(i -> RandomGroup.of(random).input()).toList();

    List<GroupAssignment> alone = within(() -> groups.stream().map(one::assign).toList());
    List<GroupAssignment> together =
        within(() -> groups.parallelStream().map(one::assign).toList());
    List<GroupAssignment> anothers =
        within(() -> groups.stream().map(group -> assignor().assign(group)).toList());

    assertThat(together).isEqualTo(alone);
    assertThat(anothers).isEqualTo(alone);
  }

  @Test
  void aGroupWithoutMembersOrTopicsGetsNothing() {
    GroupAssignment nobody = odd(Map.of("t", PartitionSet.range(0, 3)));
    GroupAssignment nothing = odd(Map.of(), member("a", "t"), member("b"));
    GroupAssignment empty = odd(Map.of("t", PartitionSet.empty()), member("a", "t"));

    assertThat(nobody.members()).isEmpty();
    assertThat(nothing.loads()).containsExactly(0, 0);
    assertThat(empty.loads()).containsExactly(0);
  }

  @Test
  void aMemberThatSubscribesToNothingOrToUnknownTopicsGetsNothing() {
    GroupAssignment result =
        odd(
            Map.of("t", PartitionSet.range(0, 3), "u", PartitionSet.range(0, 3)),
            member("a", "t"),
            member("b"),
            member("c", "unknown"));

    assertThat(result.loads()).containsExactly(3, 0, 0);
  }

  @Test
  void numbersMayHaveGaps() {
    GroupAssignment result =
        odd(
            Map.of("t", PartitionSet.of(3, 7, 1_000_000), "u", PartitionSet.of(5)),
            member("a", "t"),
            member("b", "t", "u"));

    assertThat(result.owner(new TopicPartition("t", 1_000_000))).isPresent();
    assertThat(Arrays.stream(result.loads()).sum()).isEqualTo(4);
  }

  @Test
  void claimsThatContradictEachOtherEndWithOneOwner() {
    Map<String, PartitionSet> topics = Map.of("t", PartitionSet.range(0, 6));
    for (int generation = 4; generation <= 6; generation++) {
      odd(
          topics,
          member("a", "t").owning(t(0, 1, 2, 3), 5),
          member("b", "t").owning(t(2, 3, 4, 5), generation),
          member("c", "t").owning(t(0, 1, 2, 3, 4, 5), Member.NO_GENERATION));
    }
  }

  @Test
  void claimsOfWhatIsNotThereOrNotSubscribedAreNone() {
    Map<String, PartitionSet> topics =
        Map.of("t", PartitionSet.range(0, 3), "u", PartitionSet.range(0, 3));
    Assignment strange = t(1, 2, 3, 4_000_000).plus(Assignment.of("gone", PartitionSet.of(0)));

    odd(topics, member("a", "u").owning(strange, 7), member("b", "t").owning(strange, 7));
    odd(topics, member("a").owning(strange, 7), member("b", "t", "u"));
  }

  @Test
  void aPreviousAssignmentMayNameMembersAndPartitionsThatAreGone() {
    GroupInput before =
        GroupInput.of(
            Map.of("t", PartitionSet.range(0, 9), "gone", PartitionSet.range(0, 2)),
            List.of(member("a", "t"), member("b", "t", "gone"), member("left", "t")));
    GroupAssignment previous =
        GroupAssignment.of(
            before,
            Map.of(
                new MemberId("a"), t(0, 1, 8),
                new MemberId("b"), t(2).plus(Assignment.of("gone", PartitionSet.range(0, 2))),
                new MemberId("left"), t(3, 4, 5, 6, 7)));
    GroupInput now =
        GroupInput.of(
                Map.of("t", PartitionSet.range(2, 5), "new", PartitionSet.range(0, 2)),
                List.of(member("a", "t", "new"), member("b", "new"), member("joined", "t")))
            .withPrevious(previous);

    demandValid(now, within(() -> assignor().assign(now)));
  }

  private GroupAssignment odd(Map<String, PartitionSet> topics, Member... members) {
    GroupInput group = GroupInput.of(topics, Arrays.asList(members));
    GroupAssignment result = within(() -> assignor().assign(group));
    demandValid(group, result);
    return result;
  }

  private static Member member(String id, String... topics) {
    return Member.of(id, Set.of(topics));
  }

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  private GroupAssignment assign(RandomGroup group) {
    return assignor().assign(group.input());
  }

  private GroupAssignment settle(RandomGroup group) {
    GroupAssignment result = assign(group);
    for (int round = 1; round < roundsToSettle(); round++) {
      GroupAssignment next = assign(group.owning(result.shares()));
      if (next.equals(result)) {
        return result;
      }
      result = next;
    }
    return result;
  }

  private void demandValid(GroupInput group, GroupAssignment result) {
    SortedMap<MemberId, Assignment> shares = result.shares();
    assertThat(shares.keySet())
        .as("all members of the group")
        .containsExactlyElementsOf(group.members().stream().map(Member::id).toList());
    shares.forEach(
        (id, share) ->
            assertThat(group.member(id).orElseThrow().topics())
                .as("topics of %s, who gets %s", id, share)
                .containsAll(share.topics().keySet()));
    Assignment given = sum(shares);
    assertThat(shares.values().stream().mapToInt(Assignment::size).sum())
        .as("partitions counted by owner")
        .isEqualTo(given.size());
    Assignment missing = wanted(group).minus(given);
    assertThat(given.minus(wanted(group))).as("given and not there").isEqualTo(Assignment.empty());
    assertThat(missing.minus(held(group))).as("nobody's").isEqualTo(Assignment.empty());
  }

  private static Assignment sum(Map<MemberId, Assignment> shares) {
    return shares.values().stream().reduce(Assignment.empty(), Assignment::plus);
  }

  private static Assignment wanted(GroupInput group) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>(group.topics());
    topics
        .keySet()
        .removeIf(topic -> group.members().stream().noneMatch(m -> m.topics().contains(topic)));
    return new Assignment(topics);
  }

  /** What may have to be let go of first. */
  private Assignment held(GroupInput group) {
    Assignment held = Assignment.empty();
    if (withholds()) {
      for (Member member : group.members()) {
        held = held.plus(before(group, member));
      }
    }
    return held;
  }

  private static Assignment before(GroupInput group, Member member) {
    return group.previous().isPresent()
        ? group.previous().get().shares().getOrDefault(member.id(), Assignment.empty())
        : member.owned();
  }

  /** Only a later claim of the new owner itself makes an earlier one void. */
  private static void demandHeldBack(GroupInput group, GroupAssignment result) {
    SortedMap<MemberId, Assignment> shares = result.shares();
    for (Member old : group.members()) {
      Assignment lost = before(group, old).minus(shares.get(old.id()));
      for (Member other : group.members()) {
        Assignment taken = shares.get(other.id()).and(lost);
        boolean later =
            group.previous().isEmpty()
                && other.generation() > old.generation()
                && taken.minus(other.owned()).isEmpty();
        assertThat(later ? Assignment.empty() : taken)
            .as("what %s gets and %s has", other.id(), old.id())
            .isEqualTo(Assignment.empty());
      }
    }
  }

  private <T> T within(ThrowingSupplier<T> calls) {
    return assertTimeoutPreemptively(patience(), calls);
  }

  private void onRandomGroups(BiConsumer<Random, RandomGroup> check) {
    AtomicReference<Supplier<String>> tried = new AtomicReference<>(() -> "no group yet");
    assertTimeoutPreemptively(
        patience(),
        () -> {
          for (long seed : Seeds.fixed()) {
            Random random = new Random(seed);
            for (int i = 0; i < groupsPerSeed(); i++) {
              RandomGroup group = RandomGroup.of(random);
              tried.set(() -> named(seed, group));
              try {
                check.accept(random, group);
              } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(named(seed, group) + ": " + e.getMessage(), e);
              }
            }
          }
        },
        () -> tried.get().get());
  }

  private String named(long seed, RandomGroup group) {
    return "%s, seed %d (replay it with -Drebalancer.seed=%d), group %s"
        .formatted(assignor().name(), seed, seed, group);
  }
}
