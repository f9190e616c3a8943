package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
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

class RackPreferenceTest {

  private static final List<String> RACKS = List.of("r1", "r2", "r3");

  private final StickyAssignor sticky = new StickyAssignor();

  private static GroupInput random(Random random, boolean alike, boolean owned, int each) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    Map<String, List<Set<String>>> racks = new HashMap<>();
    for (int t = random.nextInt(3); t >= 0; t--) {
      int partitions = random.nextInt(each + 1);
      topics.put("t" + t, PartitionSet.range(0, partitions));
      racks.put(
          "t" + t, IntStream.range(0, partitions).mapToObj(p -> someOf(random, RACKS)).toList());
    }
    List<Member> members = new ArrayList<>();
    for (int m = random.nextInt(5); m >= 0; m--) {
      Set<String> wanted = alike ? topics.keySet() : someOf(random, topics.keySet());
      Member member = Member.of("m" + m, wanted);
      if (random.nextInt(6) > 0) {
        member = member.withRack(RACKS.get(random.nextInt(3)));
      }
      SortedMap<String, PartitionSet> has = new TreeMap<>();
      for (String topic : topics.keySet()) {
        has.put(topic, PartitionSet.of(random.ints(random.nextInt(4), 0, each).toArray()));
      }
      members.add(owned ? member.owning(new Assignment(has), random.nextInt(4)) : member);
    }
    return GroupInput.of(topics, members).withRacks(racks);
  }

  private static Set<String> someOf(Random random, Iterable<String> all) {
    Set<String> some = new TreeSet<>();
    for (String one : all) {
      if (random.nextBoolean()) {
        some.add(one);
      }
    }
    return some;
  }

  private static boolean suits(GroupInput group, Member member, TopicPartition partition) {
    return group.racks(partition.topic(), partition.partition()).contains(member.rack());
  }

  private static long inRack(GroupInput group, GroupAssignment assignment) {
    return group.members().stream()
        .mapToLong(
            member ->
                assignment.shares().get(member.id()).stream()
                    .filter(partition -> suits(group, member, partition))
                    .count())
        .sum();
  }

  /** The most that any assignment has in its racks in which each gets as many as here. */
  private static int most(
      GroupInput group, List<TopicPartition> partitions, int at, Map<MemberId, Integer> left) {
    if (at == partitions.size()) {
      return 0;
    }
    int best = -1;
    for (Member member : group.members()) {
      if (left.get(member.id()) > 0) {
        left.merge(member.id(), -1, Integer::sum);
        int rest = most(group, partitions, at + 1, left);
        best = Math.max(best, rest + (suits(group, member, partitions.get(at)) ? 1 : 0));
        left.merge(member.id(), 1, Integer::sum);
      }
    }
    return best;
  }

  @Test
  void asManyPartitionsGoToTheirRacksAsTheLoadsAllow() {
    for (int seed = 0; seed < 1_000; seed++) {
      GroupInput group = random(new Random(seed), true, false, 3);
      GroupAssignment assignment = sticky.assign(group);
      List<TopicPartition> all = new ArrayList<>();
      group
          .topics()
          .forEach((topic, set) -> set.forEach(p -> all.add(new TopicPartition(topic, p))));
      Map<MemberId, Integer> loads = new TreeMap<>();
      assignment.shares().forEach((id, share) -> loads.put(id, share.size()));

      assertThat(inRack(group, assignment))
          .as("seed %d: %s", seed, group)
          .isEqualTo(most(group, all, 0, loads));
    }
  }

  @Test
  void racksCostNeitherBalanceNorMoves() {
    int gained = 0;
    for (int seed = 0; seed < 5_000; seed++) {
      GroupInput group = random(new Random(seed), seed % 2 == 0, true, 12);
      GroupInput without = group.withRacks(Map.of());
      GroupAssignment plain = sticky.assign(without);
      GroupAssignment racked = sticky.assign(group);

      assertThat(IntStream.of(racked.loads()).sorted())
          .as("seed %d: %s", seed, group)
          .containsExactlyElementsOf(IntStream.of(plain.loads()).sorted().boxed().toList());
      assertThat(moves(group, racked)).as("seed %d", seed).isEqualTo(moves(group, plain));
      gained += (int) (inRack(group, racked) - inRack(group, plain));
      assertThat(sticky.assign(group.withPrevious(racked))).isEqualTo(racked);
    }
    assertThat(gained).isGreaterThan(4_000);
  }

  private static int moves(GroupInput group, GroupAssignment next) {
    int[] before = Claims.owners(group);
    int moves = 0;
    for (int place = 0; place < before.length; place++) {
      boolean owned = before[place] != GroupAssignment.NOBODY;
      moves += owned && before[place] != next.owners[place] ? 1 : 0;
    }
    return moves;
  }

  @Test
  void whoHasTooMuchLetsGoOfWhatIsInAnotherRack() {
    Member a =
        Member.of("a", Set.of("t"))
            .withRack("r1")
            .owning(Assignment.of("t", PartitionSet.range(0, 4)), 1);
    Member b = Member.of("b", Set.of("t")).withRack("r2");
    GroupInput group =
        GroupInput.of(Map.of("t", PartitionSet.range(0, 4)), List.of(a, b))
            .withRacks(
                Map.of("t", List.of(Set.of("r2"), Set.of("r1"), Set.of("r2"), Set.of("r1"))));

    assertThat(sticky.assign(group).shares().values())
        .containsExactly(
            Assignment.of("t", PartitionSet.of(1, 3)), Assignment.of("t", PartitionSet.of(0, 2)));
  }
}
