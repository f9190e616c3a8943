package io.rebalancer.core.testkit;

import io.rebalancer.core.assignor.member.GroupAssignment;
import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * A small group with whatever a real one can have: topics without partitions and with gaps in their
 * numbers, members without topics and with unknown ones, claims that contradict each other or name
 * what does not exist, racks, weights, capacities.
 */
public record RandomGroup(
    Map<String, PartitionSet> topics,
    List<Member> members,
    Map<String, List<Set<String>>> racks,
    Map<String, double[]> weights,
    Optional<GroupAssignment> previous) {

  private static final int MOST_PARTITIONS = 12;

  public static RandomGroup of(Random random) {
    Map<String, PartitionSet> topics = topics(random);
    boolean alike = random.nextInt(3) == 0;
    boolean racked = random.nextInt(4) == 0;
    boolean weighed = random.nextInt(4) == 0;
    List<Member> members = new ArrayList<>();
    Set<String> common = wanted(random, topics.keySet());
    for (int i = random.nextInt(9); i > 0; i--) {
      members.add(
          member(random, "m" + i, alike ? common : wanted(random, topics.keySet()), topics));
    }
    members.replaceAll(m -> racked ? m.withRack("r" + random.nextInt(4)) : m);
    members.replaceAll(m -> weighed ? m.withCapacity(1 + random.nextInt(4)) : m);
    members.replaceAll(m -> random.nextInt(8) == 0 ? m.withInstanceId("i-" + m.id()) : m);
    RandomGroup group =
        new RandomGroup(
            topics,
            members,
            racked ? racks(random, topics.keySet()) : Map.of(),
            weighed ? weights(random, topics.keySet()) : Map.of(),
            Optional.empty());
    return random.nextInt(4) == 0 ? group.withPrevious(strangePast(random, topics)) : group;
  }

  private static Map<String, PartitionSet> topics(Random random) {
    Map<String, PartitionSet> topics = new TreeMap<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      PartitionSet partitions =
          switch (random.nextInt(6)) {
            case 0 -> PartitionSet.empty();
            case 1 -> PartitionSet.of(3, 7, 1_000_000);
            default -> PartitionSet.range(0, 1 + random.nextInt(MOST_PARTITIONS));
          };
      topics.put("t" + i, partitions);
    }
    return topics;
  }

  private static Set<String> wanted(Random random, Set<String> topics) {
    Set<String> wanted = new TreeSet<>();
    topics.stream().filter(topic -> random.nextInt(3) > 0).forEach(wanted::add);
    if (random.nextInt(5) == 0) {
      wanted.add("unknown");
    }
    return wanted;
  }

  private static Member member(
      Random random, String id, Set<String> wanted, Map<String, PartitionSet> topics) {
    Map<String, PartitionSet> owned = new TreeMap<>();
    topics.forEach(
        (topic, partitions) -> {
          if (random.nextBoolean()) {
            owned.put(topic, PartitionSet.of(someOf(random, partitions)));
          }
        });
    if (random.nextInt(5) == 0) {
      owned.put("gone", PartitionSet.of(0, 5));
    }
    return Member.of(id, wanted).owning(Assignment.copyOf(owned), random.nextInt(5) - 1);
  }

  /** Also numbers that are not there. */
  private static int[] someOf(Random random, PartitionSet partitions) {
    return IntStream.range(0, random.nextInt(5))
        .map(
            i ->
                partitions.isEmpty() || random.nextInt(5) == 0
                    ? random.nextInt(2 * MOST_PARTITIONS)
                    : partitions.slice(random.nextInt(partitions.size()), 1).first(0))
        .toArray();
  }

  private static Map<String, List<Set<String>>> racks(Random random, Set<String> topics) {
    Map<String, List<Set<String>>> racks = new TreeMap<>();
    for (String topic : topics) {
      List<Set<String>> sets = new ArrayList<>();
      for (int p = random.nextInt(MOST_PARTITIONS + 1); p > 0; p--) {
        Set<String> set = new TreeSet<>();
        random.ints(random.nextInt(3), 0, 4).forEach(rack -> set.add("r" + rack));
        sets.add(set);
      }
      racks.put(topic, sets);
    }
    return racks;
  }

  private static Map<String, double[]> weights(Random random, Set<String> topics) {
    Map<String, double[]> weights = new TreeMap<>();
    for (String topic : topics) {
      weights.put(
          topic,
          random
              .ints(random.nextInt(MOST_PARTITIONS + 1), 0, 5)
              .mapToDouble(Double::valueOf)
              .toArray());
    }
    return weights;
  }

  /** Of a group with other members and other numbers of partitions. */
  private static GroupAssignment strangePast(Random random, Map<String, PartitionSet> now) {
    Map<String, PartitionSet> topics = new TreeMap<>(now);
    topics.replaceAll(
        (topic, partitions) ->
            random.nextInt(3) > 0
                ? partitions
                : partitions.plus(PartitionSet.range(0, random.nextInt(2 * MOST_PARTITIONS))));
    topics.put("gone", PartitionSet.range(0, 3));
    topics.keySet().removeIf(topic -> random.nextInt(6) == 0);
    List<Member> members = new ArrayList<>();
    for (int i = 1 + random.nextInt(10); i > 0; i--) {
      members.add(Member.of("m" + i, topics.keySet()));
    }
    RandomGroup then = new RandomGroup(topics, members, Map.of(), Map.of(), Optional.empty());
    return GroupAssignment.of(then.input(), then.someShares(random));
  }

  public GroupInput input() {
    GroupInput input = GroupInput.of(topics, members);
    input = racks.isEmpty() ? input : input.withRacks(racks);
    input = weights.isEmpty() ? input : input.withWeights(weights);
    return previous.isEmpty() ? input : input.withPrevious(previous.get());
  }

  /** The same group, put together in another order. */
  public RandomGroup shuffled(Random random) {
    List<Member> others = new ArrayList<>(members);
    Collections.shuffle(others, random);
    return new RandomGroup(
        shuffled(topics, random),
        others,
        shuffled(racks, random),
        shuffled(weights, random),
        previous);
  }

  private static <T> Map<String, T> shuffled(Map<String, T> map, Random random) {
    List<String> keys = new ArrayList<>(map.keySet());
    Collections.shuffle(keys, random);
    Map<String, T> result = new LinkedHashMap<>();
    keys.forEach(key -> result.put(key, map.get(key)));
    return result;
  }

  public RandomGroup withPrevious(GroupAssignment value) {
    return new RandomGroup(topics, members, racks, weights, Optional.of(value));
  }

  /** Members say that they own these, and nobody says otherwise. */
  public RandomGroup owning(SortedMap<MemberId, Assignment> shares) {
    List<Member> owners = new ArrayList<>();
    for (Member member : members) {
      owners.add(member.owning(shares.getOrDefault(member.id(), Assignment.empty()), 9));
    }
    return new RandomGroup(topics, owners, racks, weights, Optional.empty());
  }

  /** Each partition at one of its subscribers or at nobody's, however many that makes. */
  SortedMap<MemberId, Assignment> someShares(Random random) {
    SortedMap<MemberId, Assignment> shares = new TreeMap<>();
    topics.forEach(
        (topic, partitions) -> {
          List<MemberId> able =
              members.stream().filter(m -> m.topics().contains(topic)).map(Member::id).toList();
          partitions.forEach(
              p -> {
                int taker = random.nextInt(able.size() + 1);
                if (taker < able.size()) {
                  shares.merge(
                      able.get(taker), Assignment.of(topic, PartitionSet.of(p)), Assignment::plus);
                }
              });
        });
    return shares;
  }

  @Override
  public String toString() {
    return input().toString();
  }
}
