package io.rebalancer.core.assignor.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class StickyAssignorTest {

  private final StickyAssignor sticky = new StickyAssignor();

  /** Tries every assignment there is: the best sum of squares, and the fewest moves with it. */
  private record Exact(long squares, int moves) {

    static Exact of(GroupInput group) {
      List<TopicPartition> all = new ArrayList<>();
      List<List<MemberId>> takers = new ArrayList<>();
      List<Set<MemberId>> owners = new ArrayList<>();
      group
          .topics()
          .forEach(
              (topic, set) ->
                  set.forEach(
                      p -> {
                        List<MemberId> able =
                            group.members().stream()
                                .filter(m -> m.topics().contains(topic))
                                .map(Member::id)
                                .toList();
                        if (!able.isEmpty()) {
                          TopicPartition partition = new TopicPartition(topic, p);
                          all.add(partition);
                          takers.add(able);
                          owners.add(ownersOf(group, partition));
                        }
                      }));
      long[] best = {Long.MAX_VALUE, Long.MAX_VALUE};
      search(0, takers, owners, new TreeMap<>(), 0, best);
      return new Exact(best[0], (int) best[1]);
    }

    private static Set<MemberId> ownersOf(GroupInput group, TopicPartition partition) {
      Set<MemberId> found = new TreeSet<>();
      group.members().stream()
          .filter(m -> m.topics().contains(partition.topic()) && m.owned().contains(partition))
          .forEach(m -> found.add(m.id()));
      return found;
    }

    private static void search(
        int at,
        List<List<MemberId>> takers,
        List<Set<MemberId>> owners,
        Map<MemberId, Integer> loads,
        int moves,
        long[] best) {
      if (at == takers.size()) {
        long squares = loads.values().stream().mapToLong(n -> (long) n * n).sum();
        if (squares < best[0] || (squares == best[0] && moves < best[1])) {
          best[0] = squares;
          best[1] = moves;
        }
        return;
      }
      for (MemberId taker : takers.get(at)) {
        loads.merge(taker, 1, Integer::sum);
        boolean moved = !owners.get(at).isEmpty() && !owners.get(at).contains(taker);
        search(at + 1, takers, owners, loads, moves + (moved ? 1 : 0), best);
        loads.merge(taker, -1, Integer::sum);
      }
    }
  }

  private static GroupInput random(
      Random random, boolean alike, int members, int topics, int each) {
    SortedMap<String, PartitionSet> known = new TreeMap<>();
    int topicCount = 1 + random.nextInt(topics);
    for (int t = 0; t < topicCount; t++) {
      known.put("t" + t, PartitionSet.range(0, random.nextInt(each + 1)));
    }
    List<Member> all = new ArrayList<>();
    int memberCount = 1 + random.nextInt(members);
    Map<String, int[]> owner = new TreeMap<>();
    known.forEach(
        (topic, set) ->
            owner.put(
                topic, random.ints(set.size() + 1, -1, memberCount).toArray())); // One too many.
    for (int m = 0; m < memberCount; m++) {
      Set<String> wanted = new TreeSet<>();
      for (String topic : known.keySet()) {
        if (alike || random.nextInt(3) > 0) {
          wanted.add(topic);
        }
      }
      int self = m;
      SortedMap<String, PartitionSet> owned = new TreeMap<>();
      owner.forEach(
          (topic, by) ->
              owned.put(
                  topic,
                  PartitionSet.of(
                      java.util.stream.IntStream.range(0, by.length)
                          .filter(p -> by[p] == self)
                          .toArray())));
      all.add(Member.of("m" + m, wanted).owning(new Assignment(owned), 3));
    }
    Collections.shuffle(all, random);
    return GroupInput.of(known, all);
  }

  private static void demandValid(GroupInput group, SortedMap<MemberId, Assignment> result) {
    assertThat(result.keySet())
        .containsExactlyElementsOf(group.members().stream().map(Member::id).toList());
    Assignment all = Assignment.empty();
    int sum = 0;
    for (Map.Entry<MemberId, Assignment> share : result.entrySet()) {
      assertThat(group.member(share.getKey()).orElseThrow().topics())
          .containsAll(share.getValue().topics().keySet());
      all = all.plus(share.getValue());
      sum += share.getValue().size();
    }
    SortedMap<String, PartitionSet> expected = new TreeMap<>();
    group
        .topics()
        .forEach(
            (topic, set) -> {
              if (group.members().stream().anyMatch(m -> m.topics().contains(topic))) {
                expected.put(topic, set);
              }
            });
    assertThat(all).isEqualTo(new Assignment(expected));
    assertThat(sum).isEqualTo(all.size());
  }

  private static long squares(SortedMap<MemberId, Assignment> result) {
    return result.values().stream().mapToLong(a -> (long) a.size() * a.size()).sum();
  }

  private static int moves(GroupInput group, SortedMap<MemberId, Assignment> result) {
    int moves = 0;
    for (Member member : group.members()) {
      SortedMap<String, PartitionSet> valid = new TreeMap<>();
      member
          .owned()
          .topics()
          .forEach(
              (topic, set) -> {
                if (member.topics().contains(topic)) {
                  valid.put(
                      topic, set.and(group.topics().getOrDefault(topic, PartitionSet.empty())));
                }
              });
      moves += new Assignment(valid).minus(result.get(member.id())).size();
    }
    return moves;
  }

  @Test
  void noAssignmentIsBetterBalancedOrMovesLessOnSmallGroups() {
    for (int i = 0; i < 3_000; i++) {
      Random random = new Random(i);
      GroupInput group = random(random, i % 3 == 0, 4, 3, 3);
      SortedMap<MemberId, Assignment> result = sticky.assign(group).shares();
      demandValid(group, result);
      assertThat(new Exact(squares(result), moves(group, result)))
          .as("seed %d: %s gives %s", i, group, result)
          .isEqualTo(Exact.of(group));
    }
  }

  @Test
  void assigningAgainMovesNothing() {
    for (long seed : Seeds.fixed()) {
      GroupInput group = random(new Random(seed), seed % 2 == 0, 20, 10, 50);
      SortedMap<MemberId, Assignment> first = sticky.assign(group).shares();
      List<Member> settled = new ArrayList<>();
      group.members().forEach(m -> settled.add(m.owning(first.get(m.id()), 4)));

      assertThat(sticky.assign(GroupInput.of(group.topics(), settled)).shares())
          .as("seed %d", seed)
          .isEqualTo(first);
    }
  }

  @Test
  void anInputDoesNotChangeWithWhatItWasMadeFrom() {
    Set<String> racks = new TreeSet<>(Set.of("r1"));
    GroupInput group =
        GroupInput.of(Map.of("t", PartitionSet.range(0, 1)), List.of())
            .withRacks(Map.of("t", new ArrayList<>(List.of(racks))));

    racks.add("r2");

    assertThat(group.racks("t", 0)).containsExactly("r1");
  }

  @Test
  void whatAPreviousAssignmentGaveToOneWhoDoesNotSubscribeIsFree() {
    for (Set<String> topicsOfB : List.of(Set.of("t"), Set.of("t", "v"))) {
      GroupInput group =
          GroupInput.of(
              Map.of("t", PartitionSet.range(0, 2), "u", PartitionSet.range(0, 2)),
              List.of(Member.of("a", Set.of("t")), Member.of("b", topicsOfB)));
      Assignment both =
          new Assignment(
              new TreeMap<>(Map.of("t", PartitionSet.range(0, 2), "u", PartitionSet.range(0, 2))));
      GroupAssignment wrong = GroupAssignment.of(group, Map.of(new MemberId("a"), both));

      assertThat(sticky.assign(group.withPrevious(wrong)).shares().values())
          .containsExactly(t(0), t(1));
    }
  }

  @Test
  void b069ABalancedPlanStaysAsItIs() {
    GroupInput group =
        GroupInput.of(
            Map.of("t", PartitionSet.range(0, 4)),
            Arrays.asList(
                Member.of("c1", Set.of("t")).owning(t(0), 1),
                Member.of("c2", Set.of("t")).owning(t(1), 1),
                Member.of("c3", Set.of("t")).owning(t(2, 3), 1)));

    assertThat(sticky.assign(group).shares().values()).containsExactly(t(0), t(1), t(2, 3));
  }

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }
}
