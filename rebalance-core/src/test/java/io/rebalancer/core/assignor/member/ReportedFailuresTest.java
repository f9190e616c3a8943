package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Inputs on which other implementations did not end, gave a partition to two or moved without need,
 * as far as {@link AssignorCasesTest} does not have them. Each names the public report.
 */
class ReportedFailuresTest {

  private final MemberAssignor sticky = new StickyAssignor();
  private final MemberAssignor cooperative = new CooperativeStickyAssignor();

  private static Member member(String id, String... topics) {
    return Member.of(id, Set.of(topics));
  }

  private static Assignment of(String topic, int... partitions) {
    return Assignment.of(topic, PartitionSet.of(partitions));
  }

  private static GroupInput group(Map<String, PartitionSet> topics, Member... members) {
    return GroupInput.of(topics, Arrays.asList(members));
  }

  private static GroupInput owning(GroupInput group, Map<MemberId, Assignment> shares) {
    return GroupInput.of(
        group.topics(),
        group.members().stream()
            .map(m -> m.owning(shares.getOrDefault(m.id(), Assignment.empty()), 7))
            .toList());
  }

  private static Assignment all(Collection<Assignment> shares) {
    return shares.stream().reduce(Assignment.empty(), Assignment::plus);
  }

  private static void demandOnceEach(GroupInput group, GroupAssignment result) {
    Collection<Assignment> shares = result.shares().values();
    SortedMap<String, PartitionSet> wanted = new TreeMap<>(group.topics());
    wanted
        .keySet()
        .removeIf(topic -> group.members().stream().noneMatch(m -> m.topics().contains(topic)));
    assertThat(all(shares)).isEqualTo(new Assignment(wanted));
    assertThat(shares.stream().mapToInt(Assignment::size).sum()).isEqualTo(all(shares).size());
  }

  private static int moves(GroupInput group, GroupAssignment result) {
    SortedMap<MemberId, Assignment> shares = result.shares();
    return group.members().stream().mapToInt(m -> m.owned().minus(shares.get(m.id())).size()).sum();
  }

  /**
   * apache/kafka#13550 (KAFKA-14639): what two claimed in different generations was revoked from
   * one and given to the other in one round.
   */
  @Test
  void kafka14639WhatTwoClaimInDifferentGenerationsStaysWithTheLater() {
    Map<String, PartitionSet> topics =
        Map.of("t", PartitionSet.range(0, 3), "u", PartitionSet.range(0, 3));
    Assignment claim = of("t", 0, 2).plus(of("u", 1));
    GroupInput group =
        group(
            topics,
            member("c1", "t", "u").owning(claim, 10),
            member("c2", "t", "u").owning(claim, 9));

    GroupAssignment result = sticky.assign(group);

    assertThat(result.shares().values()).containsExactly(claim, of("t", 1).plus(of("u", 0, 2)));
    assertThat(cooperative.assign(group)).isEqualTo(result);
  }

  /**
   * apache/kafka#10985 (KAFKA-12984): claims of two in one generation ended in an exception, or
   * with more than the quota for one.
   */
  @Test
  void kafka12984ClaimsOfOneGenerationThatContradictEachOtherAreSharedEvenly() {
    for (int claimed = 0; claimed <= 6; claimed++) {
      Assignment claim = of("t", IntStream.range(0, claimed).toArray());
      GroupInput group =
          group(
              Map.of("t", PartitionSet.range(0, 6)),
              member("c1", "t").owning(claim, 3),
              member("c2", "t").owning(claim, 3),
              member("c3", "t").owning(claim, 3));

      GroupAssignment result = sticky.assign(group);

      demandOnceEach(group, result);
      assertThat(result.loads()).containsExactly(2, 2, 2);
    }
  }

  /**
   * aio-libs/aiokafka#1175 and #1176: all members of a process claimed the same partitions without
   * a generation, subscribed to different topics, and the rebalance never ended.
   */
  @Test
  void aiokafka1176EveryMemberClaimsTheSameWithoutAGeneration() {
    Map<String, PartitionSet> topics = new TreeMap<>();
    IntStream.range(0, 7).forEach(i -> topics.put("t" + i, PartitionSet.range(0, 12 + i)));
    List<Member> members = new ArrayList<>();
    for (int process = 0; process < 12; process++) {
      for (int i = 0; i < 7; i++) {
        members.add(
            member("p" + process + "-" + i, "t" + i)
                .owning(Assignment.copyOf(topics), Member.NO_GENERATION));
      }
    }
    GroupInput group = GroupInput.of(topics, members);

    GroupAssignment result = sticky.assign(group);

    demandOnceEach(group, result);
    assertThat(Arrays.stream(result.loads()).boxed()).containsOnly(1, 2);
    assertThat(cooperative.assign(group).loads()).as("held back").containsOnly(0);
  }

  /**
   * confluentinc/librdkafka#4783: five members that subscribe to one of two topics each, some with
   * fewer partitions than subscribers, some owning two of them and some none; it went round for
   * ever.
   */
  @Test
  void librdkafka4783FewerPartitionsThanSubscribersOfTwoTopics() {
    int groups = 0;
    for (int t = 1; t <= 3; t++) {
      for (int u = 1; u <= 3; u++) {
        for (int split = 1; split < 5; split++) {
          Map<String, PartitionSet> topics =
              Map.of("t", PartitionSet.range(0, t), "u", PartitionSet.range(0, u));
          for (int owner = 0; owner < 5; owner++) {
            List<Member> members = new ArrayList<>();
            for (int m = 0; m < 5; m++) {
              String topic = m < split ? "t" : "u";
              Assignment owned =
                  m == owner ? Assignment.of(topic, topics.get(topic)) : Assignment.empty();
              members.add(member("c" + m, topic).owning(owned, 4));
            }
            GroupInput group = GroupInput.of(topics, members);
            GroupAssignment result = sticky.assign(group);
            demandOnceEach(group, result);
            int most = (t + split - 1) / split;
            int mostOfOthers = (u + 5 - split - 1) / (5 - split);
            assertThat(Arrays.stream(result.loads()).max()).hasValue(Math.max(most, mostOfOthers));
            assertThat(result.loads()[owner])
                .as("keeps what it may")
                .isPositive()
                .isEqualTo(owner < split ? most : mostOfOthers);
            groups++;
          }
        }
      }
    }
    assertThat(groups).isEqualTo(180);
  }

  /** confluentinc/librdkafka#3323: a member came back as another at once, over one partition. */
  @Test
  void librdkafka3323AQuickRestartOverOnePartition() {
    Map<String, PartitionSet> topics = Map.of("t", PartitionSet.range(0, 1));

    for (int run = 0; run < 3; run++) {
      GroupInput group = group(topics, member("run-" + run, "t").owning(Assignment.empty(), run));
      assertThat(cooperative.assign(group).shares().values()).containsExactly(of("t", 0));
    }
    GroupInput both =
        group(topics, member("run-2", "t").owning(of("t", 0), 3), member("run-3", "t"));
    assertThat(cooperative.assign(both).shares().values())
        .containsExactly(of("t", 0), Assignment.empty());
  }

  /**
   * confluentinc/librdkafka#4044: two topics of 18 partitions; nine members got more of one topic
   * than of the other, and after the ninth joined too.
   */
  @Test
  void librdkafka4044TopicsAreSpreadAndTheNinthMemberTakesOnlyItsPart() {
    Map<String, PartitionSet> topics =
        Map.of("t", PartitionSet.range(0, 18), "u", PartitionSet.range(0, 18));
    List<Member> members = new ArrayList<>();
    IntStream.rangeClosed(1, 9).forEach(i -> members.add(member("c" + i, "t", "u")));
    GroupInput nine = GroupInput.of(topics, members);
    GroupInput eight = GroupInput.of(topics, members.subList(0, 8));

    assertThat(sticky.assign(nine).shares().values())
        .allSatisfy(
            share -> {
              assertThat(share.partitions("t").size()).isEqualTo(2);
              assertThat(share.partitions("u").size()).isEqualTo(2);
            });
    GroupInput joined = owning(nine, sticky.assign(eight).shares());
    GroupAssignment result = sticky.assign(joined);
    assertThat(result.loads()).containsOnly(4);
    assertThat(moves(joined, result)).isEqualTo(4);
  }

  /**
   * confluentinc/confluent-kafka-dotnet#1712: the second member got one topic whole and the first
   * kept the other.
   */
  @Test
  void dotnet1712TheSecondMemberGetsHalfOfEachTopic() {
    Map<String, PartitionSet> topics =
        Map.of("t", PartitionSet.range(0, 4), "u", PartitionSet.range(0, 4));
    GroupInput group =
        group(
            topics,
            member("c1", "t", "u").owning(Assignment.copyOf(topics), 1),
            member("c2", "t", "u"));

    assertThat(sticky.assign(group).shares().values())
        .allSatisfy(
            share -> {
              assertThat(share.partitions("t").size()).isEqualTo(2);
              assertThat(share.partitions("u").size()).isEqualTo(2);
            });
  }

  /**
   * confluentinc/librdkafka#4629: 15,000 partitions of one topic took longer than a member's
   * session of ten seconds, and so did 3,000 among 450 members.
   */
  @Test
  void librdkafka4629ManyPartitionsOfOneTopicAreSharedAndStayInPlace() {
    Map<String, PartitionSet> topics = Map.of("t", PartitionSet.range(0, 15_000));
    List<Member> members = new ArrayList<>();
    IntStream.range(0, 450).forEach(i -> members.add(member("c" + i, "t")));
    GroupInput group = GroupInput.of(topics, members);
    GroupAssignment first = cooperative.assign(group);
    GroupInput settled = owning(group, first.shares());
    GroupInput joined =
        GroupInput.of(
            topics,
            IntStream.rangeClosed(0, 450)
                .mapToObj(i -> i < 450 ? settled.members().get(i) : member("new", "t"))
                .toList());

    assertThat(Arrays.stream(first.loads()).boxed()).containsOnly(33, 34);
    assertThat(cooperative.assign(settled)).isEqualTo(first);
    assertThat(moves(joined, cooperative.assign(joined))).isEqualTo(33);
  }

  /**
   * apache/kafka#13920 (KAFKA-15106): with unequal subscriptions a plan counted as unbalanced for
   * ever, and members went on with one rebalance after the other.
   */
  @Test
  void kafka15106UnequalSubscriptionsSettleInTwoRoundsAndStay() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      Map<String, PartitionSet> topics = new TreeMap<>();
      IntStream.range(0, 5).forEach(i -> topics.put("t" + i, PartitionSet.range(0, 1 + 3 * i)));
      List<Member> members = new ArrayList<>();
      for (int m = 0; m < 8; m++) {
        Set<String> wanted = new TreeSet<>(List.of("t" + random.nextInt(5), "t" + (5 + m) % 5));
        Map<String, PartitionSet> owned = new HashMap<>();
        wanted.stream().findFirst().ifPresent(topic -> owned.put(topic, topics.get(topic)));
        members.add(Member.of("c" + m, wanted).owning(Assignment.copyOf(owned), m));
      }
      GroupInput group = GroupInput.of(topics, members);

      GroupInput second = owning(group, cooperative.assign(group).shares());
      GroupAssignment settled = cooperative.assign(second);

      demandOnceEach(group, settled);
      assertThat(cooperative.assign(owning(group, settled.shares()))).isEqualTo(settled);
    }
  }

  /**
   * apache/kafka#13965 (KAFKA-15170): with racks, what a member lost in favour of one in the
   * partition's rack was given on in the same round, and some got more than their quota.
   */
  @Test
  void kafka15170RacksDoNotHandOverInTheRoundOfTheReleaseNorExceedTheQuota() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      int partitions = 1 + random.nextInt(12);
      List<Set<String>> racks = new ArrayList<>();
      IntStream.range(0, partitions).forEach(p -> racks.add(Set.of("r" + random.nextInt(3))));
      int count = 1 + random.nextInt(5);
      int[] owner = random.ints(partitions, -1, count).toArray();
      List<Member> members = new ArrayList<>();
      for (int m = 0; m < count; m++) {
        int self = m;
        int[] owned = IntStream.range(0, partitions).filter(p -> owner[p] == self).toArray();
        members.add(
            member("c" + m, "t").withRack("r" + random.nextInt(3)).owning(of("t", owned), 2));
      }
      GroupInput group =
          GroupInput.of(Map.of("t", PartitionSet.range(0, partitions)), members)
              .withRacks(Map.of("t", racks));

      GroupAssignment first = cooperative.assign(group);
      for (int p = 0; p < partitions; p++) {
        int before = owner[p];
        if (before >= 0) {
          assertThat(first.owner(new TopicPartition("t", p)))
              .as("seed %d, partition %d", seed, p)
              .satisfiesAnyOf(
                  now -> assertThat(now).isEmpty(),
                  now -> assertThat(now).contains(members.get(before).id()));
        }
      }
      GroupAssignment second =
          cooperative.assign(owning(group, first.shares()).withRacks(Map.of("t", racks)));
      demandOnceEach(group, second);
      assertThat(Arrays.stream(second.loads()).max().orElse(0))
          .isLessThanOrEqualTo((partitions + count - 1) / count);
    }
  }

  /**
   * apache/kafka#19677 (KAFKA-18688): the members with one more had to be the first ones, so that a
   * balanced plan was changed.
   */
  @Test
  void kafka18688WhoeverHasOneMoreKeepsIt() {
    for (MemberAssignor assignor : List.of(sticky, cooperative, new UniformAssignor())) {
      for (int larger = 0; larger < 16; larger++) {
        if (Integer.bitCount(larger) == 2) {
          Map<MemberId, Assignment> shares = new TreeMap<>();
          List<Member> members = new ArrayList<>();
          int next = 0;
          for (int m = 0; m < 4; m++) {
            int size = (larger & 1 << m) == 0 ? 2 : 3;
            members.add(member("c" + m, "t"));
            shares.put(new MemberId("c" + m), Assignment.of("t", PartitionSet.range(next, size)));
            next += size;
          }
          GroupInput group =
              owning(GroupInput.of(Map.of("t", PartitionSet.range(0, 10)), members), shares);

          assertThat(assignor.assign(group).shares()).as(assignor.name()).isEqualTo(shares);
        }
      }
    }
  }
}
