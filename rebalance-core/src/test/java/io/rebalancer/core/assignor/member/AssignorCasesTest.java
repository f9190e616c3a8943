package io.rebalancer.core.assignor.member;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Failures of other assignors, each with the right outcome; see docs/cases.md. */
class AssignorCasesTest {

  private final MemberAssignor sticky = new StickyAssignor();
  private final MemberAssignor cooperative = new CooperativeStickyAssignor();

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  private static Member member(String id, String... topics) {
    return Member.of(id, Set.of(topics));
  }

  private static GroupInput group(int partitions, Member... members) {
    return GroupInput.of(Map.of("t", PartitionSet.range(0, partitions)), Arrays.asList(members));
  }

  private static List<Integer> sizes(SortedMap<MemberId, Assignment> shares) {
    return shares.values().stream().map(Assignment::size).toList();
  }

  private static Map<MemberId, Subscription> subscribed(String... ids) {
    return Arrays.stream(ids)
        .collect(toMap(MemberId::new, id -> Subscription.copyOf(Map.of("t", 1))));
  }

  @Test
  void b060PartitionsAreInTheOrderOfTheirNumbers() {
    assertThat(
            new RangeAssignor()
                .assign(Map.of("t", PartitionSet.range(0, 12)), subscribed("c1", "c2", "c3"))
                .values())
        .containsExactly(t(0, 1, 2, 3), t(4, 5, 6, 7), t(8, 9, 10, 11));
    assertThat(
            new RangeAssignor()
                .assign(Map.of("t", PartitionSet.range(0, 2)), subscribed("c-2", "c-10"))
                .get(new MemberId("c-10")))
        .isEqualTo(t(0));
  }

  @Test
  void b061RangeGivesEverySinglePartitionTopicToTheFirstAndOthersShare() {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    IntStream.rangeClosed(1, 8).forEach(i -> topics.put("t" + i, PartitionSet.range(0, 1)));
    Map<String, Integer> streams = topics.keySet().stream().collect(toMap(t -> t, t -> 1));
    Map<MemberId, Subscription> members =
        Map.of(
            new MemberId("c1"), Subscription.copyOf(streams),
            new MemberId("c2"), Subscription.copyOf(streams));

    assertThat(sizes(new RangeAssignor().assign(topics, members))).containsExactly(8, 0);
    assertThat(
            sizes(new RoundRobinAssignor(RoundRobinAssignor.Release.V1_0).assign(topics, members)))
        .containsExactly(4, 4);
    assertThat(
            sizes(
                sticky
                    .assign(
                        GroupInput.of(
                            topics,
                            List.of(
                                Member.of("c1", topics.keySet()),
                                Member.of("c2", topics.keySet()))))
                    .shares()))
        .containsExactly(4, 4);
  }

  @Test
  void b062UnequalSubscriptionsAreSharedWhateverTheOrderOfTheMembers() {
    Map<String, PartitionSet> topics =
        Map.of(
            "A", PartitionSet.range(0, 45),
            "B", PartitionSet.range(0, 4),
            "C", PartitionSet.range(0, 4));
    List<Member> members =
        new ArrayList<>(
            List.of(
                member("m1", "A"), member("m2", "A"), member("m3", "B"), member("m4", "B", "C")));
    SortedMap<MemberId, Assignment> first = sticky.assign(GroupInput.of(topics, members)).shares();

    assertThat(sizes(first)).containsExactly(23, 22, 4, 4);
    assertThat(first.get(new MemberId("m4")))
        .isEqualTo(Assignment.of("C", PartitionSet.range(0, 4)));
    for (int i = 0; i < 24; i++) {
      Collections.shuffle(members, new Random(i));
      assertThat(sticky.assign(GroupInput.of(topics, members)).shares()).isEqualTo(first);
    }
  }

  @Test
  void b064WithFewerPartitionsThanMembersItEndsAndMovesOnlyWhatIsTwoApart() {
    SortedMap<MemberId, Assignment> owned = new TreeMap<>();
    for (int round = 0; round < 10; round++) {
      List<Member> members = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        if (i != round % 5) {
          MemberId id = new MemberId("c" + i);
          members.add(
              member("c" + i, "t").owning(owned.getOrDefault(id, Assignment.empty()), round));
        }
      }
      GroupInput group = GroupInput.of(Map.of("t", PartitionSet.range(0, 3)), members);
      SortedMap<MemberId, Assignment> next = sticky.assign(group).shares();

      assertThat(sizes(next)).containsOnly(0, 1);
      assertThat(all(next.values())).isEqualTo(t(0, 1, 2));
      for (Member member : members) {
        assertThat(next.get(member.id()).topics())
            .as("round %d", round)
            .containsAllEntriesOf(member.owned().topics());
      }
      owned = next;
    }
    assertThat(
            sticky.assign(group(1, member("a", "t").owning(t(7, 8), 1), member("b", "t"))).shares())
        .as("claims of partitions that do not exist")
        .containsValue(t(0));
  }

  private static Assignment all(Collection<Assignment> shares) {
    return shares.stream().reduce(Assignment.empty(), Assignment::plus);
  }

  @Test
  void b065AnOlderClaimLoses() {
    SortedMap<MemberId, Assignment> shares =
        sticky
            .assign(
                group(
                    6,
                    member("c1", "t").owning(t(0, 1, 2), 2),
                    member("c2", "t").owning(t(3, 4, 5), 2),
                    member("c3", "t").owning(t(2, 5), 1)))
            .shares();

    assertThat(sizes(shares)).containsExactly(2, 2, 2);
    assertThat(all(shares.values())).isEqualTo(t(0, 1, 2, 3, 4, 5));
    SortedMap<MemberId, Assignment> without =
        sticky
            .assign(
                group(
                    6,
                    member("c2", "t").owning(t(3, 4, 5), 2),
                    member("c3", "t").owning(t(2, 5), 1)))
            .shares();
    assertThat(without.values()).containsExactly(t(3, 4, 5), t(0, 1, 2));
  }

  @Test
  void b067WhatSomebodyMayStillProcessIsOnlyTakenAwayInThatRound() {
    Member c1 = member("c1", "t").owning(t(0, 1), 5);
    Member c2 = member("c2", "t").owning(t(2, 3), 4);
    SortedMap<MemberId, Assignment> first =
        cooperative.assign(group(4, c1, c2, member("c3", "t"))).shares();

    assertThat(first.get(new MemberId("c3"))).isEqualTo(Assignment.empty());
    assertThat(all(first.values()).size()).isEqualTo(3);
    SortedMap<MemberId, Assignment> second =
        cooperative.assign(next(group(4, c1, c2, member("c3", "t")), first)).shares();
    assertThat(sizes(second)).containsExactly(2, 1, 1);

    assertThat(
            cooperative
                .assign(group(4, c1, member("c2", "t").owning(t(1, 2, 3), 4), member("c3", "t")))
                .shares()
                .get(new MemberId("c1"))
                .contains(new io.rebalancer.core.model.TopicPartition("t", 1)))
        .isTrue();
  }

  /** Everybody owns what it was given. */
  private static GroupInput next(GroupInput group, SortedMap<MemberId, Assignment> shares) {
    List<Member> members = new ArrayList<>();
    group.members().forEach(m -> members.add(m.owning(shares.get(m.id()), 9)));
    return GroupInput.of(group.topics(), members);
  }

  @Test
  void b068APartitionThatChangesHandsIsInNobodysPlanForARound() {
    for (int seed = 0; seed < 10_000; seed++) {
      GroupInput group = random(new Random(seed));
      SortedMap<MemberId, Assignment> first = cooperative.assign(group).shares();
      for (Member owner : group.members()) {
        Assignment gone = owner.owned().minus(first.get(owner.id()));
        first.forEach(
            (id, share) -> {
              int generation = group.member(id).orElseThrow().generation();
              if (!id.equals(owner.id()) && generation <= owner.generation()) {
                assertThat(share.and(gone).isEmpty()).isTrue();
              }
            });
      }
      SortedMap<MemberId, Assignment> second = cooperative.assign(next(group, first)).shares();
      assertThat(all(second.values())).as("seed %d", seed).isEqualTo(subscribed(group));
      assertThat(second.values().stream().mapToInt(Assignment::size).sum())
          .as("seed %d", seed)
          .isEqualTo(subscribed(group).size());
    }
  }

  private static Assignment subscribed(GroupInput group) {
    SortedMap<String, PartitionSet> wanted = new TreeMap<>(group.topics());
    wanted
        .keySet()
        .removeIf(topic -> group.members().stream().noneMatch(m -> m.topics().contains(topic)));
    return new Assignment(wanted);
  }

  /** Also members that claim what others claim, in the same generation and in others. */
  private static GroupInput random(Random random) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    for (int i = random.nextInt(10); i >= 0; i--) {
      topics.put("t" + i, PartitionSet.range(0, random.nextInt(20)));
    }
    List<Member> members = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      Set<String> wanted = new TreeSet<>();
      SortedMap<String, PartitionSet> owned = new TreeMap<>();
      for (String topic : topics.keySet()) {
        if (random.nextBoolean()) {
          wanted.add(topic);
          owned.put(topic, PartitionSet.of(random.ints(random.nextInt(4), 0, 22).toArray()));
        }
      }
      members.add(Member.of("m" + i, wanted).owning(new Assignment(owned), random.nextInt(3)));
    }
    return GroupInput.of(topics, members);
  }

  @Test
  void b070JoiningAndLeavingMoveNoMoreThanTheyMust() {
    SortedMap<MemberId, Assignment> alone = sticky.assign(group(10, member("c1", "t"))).shares();
    SortedMap<MemberId, Assignment> two = step(alone, "c1", "c2");
    SortedMap<MemberId, Assignment> three = step(two, "c1", "c2", "c3");
    SortedMap<MemberId, Assignment> back = step(three, "c1", "c2");

    assertThat(moved(alone, two)).isEqualTo(5);
    assertThat(moved(two, three)).isEqualTo(3);
    assertThat(moved(three, back)).isEqualTo(3);
    for (String id : List.of("c1", "c2")) {
      MemberId member = new MemberId(id);
      assertThat(two.get(member).topics().get("t").and(three.get(member).topics().get("t")))
          .isEqualTo(three.get(member).topics().get("t"));
      assertThat(back.get(member).and(three.get(member))).isEqualTo(three.get(member));
    }
  }

  private SortedMap<MemberId, Assignment> step(
      SortedMap<MemberId, Assignment> owned, String... ids) {
    return sticky
        .assign(
            group(
                10,
                Arrays.stream(ids)
                    .map(
                        id ->
                            member(id, "t")
                                .owning(
                                    owned.getOrDefault(new MemberId(id), Assignment.empty()), 1))
                    .toArray(Member[]::new)))
        .shares();
  }

  private static int moved(
      SortedMap<MemberId, Assignment> before, SortedMap<MemberId, Assignment> after) {
    return before.entrySet().stream()
        .mapToInt(
            e -> e.getValue().minus(after.getOrDefault(e.getKey(), Assignment.empty())).size())
        .sum();
  }

  @Test
  void b075AVeryLargeGroupIsPlannedWithAsFewMovesAsASmallOne() {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    IntStream.range(0, 200).forEach(i -> topics.put("t" + i, PartitionSet.range(0, 100)));
    List<Member> members = new ArrayList<>();
    IntStream.range(0, 2_000).forEach(i -> members.add(Member.of("m" + i, topics.keySet())));
    GroupInput fresh = GroupInput.of(topics, members);
    SortedMap<MemberId, Assignment> first = sticky.assign(fresh).shares();
    GroupInput settled = next(fresh, first);
    List<Member> fewer = new ArrayList<>(settled.members());
    fewer.remove(1_000);
    GroupInput left = GroupInput.of(topics, fewer);
    SortedMap<MemberId, Assignment> second = sticky.assign(left).shares();
    List<Member> more = new ArrayList<>(next(left, second).members());
    more.add(Member.of("new", topics.keySet()));
    SortedMap<MemberId, Assignment> third = sticky.assign(GroupInput.of(topics, more)).shares();

    assertThat(sizes(first)).containsOnly(10);
    assertThat(sizes(second)).containsOnly(10, 11);
    assertThat(sizes(third)).containsOnly(10);
    assertThat(moved(first, second)).isEqualTo(10);
    assertThat(moved(second, third)).isEqualTo(10);
  }
}
