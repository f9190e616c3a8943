package io.rebalancer.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.junit.jupiter.api.Test;

/** Our uniform beside that of kafka's group coordinator, from the same previous assignment. */
class UniformComparisonTest {

  private static final int SEQUENCES = 1_000;
  private static final int STEPS = 3;

  private final io.rebalancer.core.assignor.member.UniformAssignor ours =
      new io.rebalancer.core.assignor.member.UniformAssignor();

  @Test
  void isNoWorseBalancedAndMovesNoMoreWhereTheBalanceIsEqual() {
    int better = 0;
    int fewerMoves = 0;
    for (int seed = 0; seed < SEQUENCES; seed++) {
      Random random = new Random(seed);
      GroupInput group = random(random);
      SortedMap<MemberId, Assignment> previous =
          compare("seed " + seed + ", fresh", group, new TreeMap<>()).ours();
      for (int step = 1; step <= STEPS; step++) {
        group = changed(random, group);
        Compared both = compare("seed " + seed + ", step " + step, group, previous);
        better += both.isBetterBalanced() ? 1 : 0;
        fewerMoves += both.movesLess() ? 1 : 0;
        // Whose result the group goes on from makes no difference to the promise.
        previous = random.nextBoolean() ? both.ours() : both.theirs();
      }
    }
    assertThat(better).as("groups that ours balances better").isPositive();
    assertThat(fewerMoves).as("groups in which ours moves less").isPositive();
  }

  @Test
  void isNoWorseWhenOneOfAThousandDifferentMembersLeavesAHundredThousandPartitions() {
    GroupInput group = Groups.of(100_000, 1_000, Subscriptions.MIXED);
    Compared fresh = compare("fresh", group, new TreeMap<>());
    GroupInput left = group.withMembers(Groups.staying(group));

    compare("leave", left, fresh.theirs());
  }

  private record Compared(
      SortedMap<MemberId, Assignment> ours,
      SortedMap<MemberId, Assignment> theirs,
      boolean isBetterBalanced,
      boolean movesLess) {}

  private Compared compare(
      String what, GroupInput group, SortedMap<MemberId, Assignment> previous) {
    SortedMap<MemberId, Assignment> theirs = uniform(group, previous);
    List<Member> claiming =
        group.members().stream()
            .map(m -> m.owning(previous.getOrDefault(m.id(), Assignment.empty()), 1))
            .toList();
    SortedMap<MemberId, Assignment> mine = ours.assign(group.withMembers(claiming)).shares();

    assertEachOnceToASubscriber(what, group, mine);
    assertEachOnceToASubscriber(what + ", kafka's", group, theirs);
    long difference = Shares.unevenness(theirs.values()) - Shares.unevenness(mine.values());
    assertThat(difference)
        .as("%s: what kafka's squares of loads are more", what)
        .isGreaterThanOrEqualTo(0);
    long kafkasMoves = Shares.moves(group.members(), previous, theirs);
    long moves = Shares.moves(group.members(), previous, mine);
    if (difference == 0) {
      assertThat(moves).as("%s: moves", what).isLessThanOrEqualTo(kafkasMoves);
    }
    return new Compared(mine, theirs, difference > 0, difference == 0 && moves < kafkasMoves);
  }

  private static void assertEachOnceToASubscriber(
      String what, GroupInput group, SortedMap<MemberId, Assignment> shares) {
    Set<String> subscribed = new TreeSet<>();
    for (Member member : group.members()) {
      subscribed.addAll(member.topics());
      assertThat(member.topics())
          .as("%s: topics of %s", what, member.id())
          .containsAll(shares.get(member.id()).topics().keySet());
    }
    int expected =
        group.topics().entrySet().stream()
            .filter(e -> subscribed.contains(e.getKey()))
            .mapToInt(e -> e.getValue().size())
            .sum();
    // Throws for a partition that two have, or that does not exist.
    assertThat(IntStream.of(GroupAssignment.of(group, shares).loads()).sum())
        .as(what)
        .isEqualTo(expected);
  }

  /** The server drops what is not subscribed any more and what is gone before it assigns. */
  private static SortedMap<MemberId, Assignment> uniform(
      GroupInput group, SortedMap<MemberId, Assignment> previous) {
    ServerGroup names = ServerGroup.of(group);
    Map<String, Map<Uuid, Set<Integer>>> owned = new HashMap<>();
    for (Member member : group.members()) {
      Map<Uuid, Set<Integer>> share = new HashMap<>();
      previous
          .getOrDefault(member.id(), Assignment.empty())
          .topics()
          .forEach(
              (topic, set) -> {
                Set<Integer> numbers = new HashSet<>();
                set.forEach(numbers::add);
                share.put(names.id(topic), numbers);
              });
      owned.put(member.id().value(), share);
    }
    ServerGroup servers = ServerGroup.of(group, owned);
    SortedMap<MemberId, Assignment> shares =
        Shares.ofServer(servers, servers.assign(new UniformAssignor()));
    group.members().forEach(member -> shares.putIfAbsent(member.id(), Assignment.empty()));
    return shares;
  }

  /** One leaves, one joins, a topic grows, or one subscribes to something else. */
  private static GroupInput changed(Random random, GroupInput group) {
    List<Member> members = new ArrayList<>(group.members());
    SortedMap<String, PartitionSet> topics = new TreeMap<>(group.topics());
    int one = random.nextInt(members.size());
    Collection<String> names = topics.keySet();
    switch (random.nextInt(4)) {
      case 0 -> members.add(Member.of("new" + random.nextInt(1_000_000), topicsOf(random, group)));
      case 1 ->
          topics.computeIfPresent(
              names.stream().skip(random.nextInt(names.size())).findFirst().orElseThrow(),
              (topic, set) -> PartitionSet.range(0, set.size() + 1 + random.nextInt(6)));
      case 2 -> members.set(one, members.get(one).withTopics(someOf(random, names)));
      default -> {
        if (members.size() > 1) {
          members.remove(one);
        }
      }
    }
    return GroupInput.of(topics, members);
  }

  /** As all do where all do the same. */
  private static Set<String> topicsOf(Random random, GroupInput group) {
    boolean alike =
        group.members().stream().map(member -> Set.copyOf(member.topics())).distinct().count() == 1;
    return alike ? group.members().get(0).topics() : someOf(random, group.topics().keySet());
  }

  private static Set<String> someOf(Random random, Collection<String> topics) {
    Set<String> some = new TreeSet<>();
    for (String topic : topics) {
      if (random.nextInt(3) > 0) {
        some.add(topic);
      }
    }
    return some;
  }

  private static GroupInput random(Random random) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    for (int t = random.nextInt(6); t >= 0; t--) {
      topics.put("t" + t, PartitionSet.range(0, 1 + random.nextInt(16)));
    }
    boolean alike = random.nextBoolean();
    List<Member> members =
        Stream.iterate(random.nextInt(10), m -> m >= 0, m -> m - 1)
            .map(m -> Member.of("m" + m, alike ? topics.keySet() : someOf(random, topics.keySet())))
            .toList();
    return GroupInput.of(topics, members);
  }
}
