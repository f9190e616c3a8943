package io.rebalancer.core.assignor.member;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
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
 * The life of one group, made from a seed: members join, leave, come back with what they had once,
 * miss a round; topics come, go and grow; subscriptions change. Members own what they were given.
 */
final class Churn {

  /** Whether all members always subscribe to the same topics. */
  final boolean alike;

  /** Whether the best of each step is to be computed, beside the proof: one life in five. */
  final boolean isCounted;

  private final Random random;
  private final boolean racked;
  private final int size;
  private final SortedMap<String, PartitionSet> topics = new TreeMap<>();
  private final SortedMap<MemberId, Member> members = new TreeMap<>();
  private final SortedMap<MemberId, Member> gone = new TreeMap<>();

  /** Who really has what, whatever anybody claims: a member that left has nothing. */
  private final Map<TopicPartition, MemberId> held = new HashMap<>();

  private Optional<GroupAssignment> last = Optional.empty();
  private Set<String> common = Set.of();
  private int joined;
  private int generation;

  Churn(long seed) {
    random = new Random(seed);
    alike = seed % 2 == 0;
    size = seed % 25 == 0 ? 30 : 1;
    isCounted = seed % 5 == 1;
    racked = seed % 3 == 0;
    for (int i = random.nextInt(5); i >= 0; i--) {
      create();
    }
    common = wanted();
    for (int i = random.nextInt(3 + size); i >= 0; i--) {
      join();
    }
  }

  int steps() {
    return 10 + random.nextInt(11);
  }

  /** A change or several at once. */
  void step() {
    for (int i = random.nextInt(4) == 0 ? 3 : 1; i > 0; i--) {
      change();
    }
    if (members.isEmpty()) {
      join();
    }
  }

  private void change() {
    switch (random.nextInt(9)) {
      case 0, 1 -> join();
      case 2, 3 -> leave();
      case 4 -> comeBack();
      case 5 -> grow();
      case 6 -> create();
      case 7 -> delete();
      default -> subscribeAnew();
    }
  }

  private void join() {
    Member member =
        Member.of("m" + joined++, alike ? common : wanted())
            .withRack(racked ? "r" + random.nextInt(4) : "");
    members.put(member.id(), member);
  }

  private void leave() {
    any(members.keySet())
        .ifPresent(
            id -> {
              gone.put(id, members.remove(id));
              held.values().removeIf(id::equals);
            });
  }

  /** As after a restart, or after others had taken it for dead: with its claims of then. */
  private void comeBack() {
    any(gone.keySet())
        .ifPresent(
            id -> {
              Member member = gone.remove(id);
              members.put(id, alike ? member.withTopics(common) : member);
            });
  }

  private void create() {
    topics.putIfAbsent(topic(), PartitionSet.range(random.nextInt(3), random.nextInt(8 + size)));
  }

  private void delete() {
    any(topics.keySet()).ifPresent(topics::remove);
  }

  private void grow() {
    PartitionSet more = PartitionSet.range(random.nextInt(12 + size), 1 + random.nextInt(6));
    any(topics.keySet()).ifPresent(topic -> topics.merge(topic, more, PartitionSet::plus));
  }

  private void subscribeAnew() {
    common = wanted();
    if (alike) {
      members.replaceAll((id, member) -> member.withTopics(common));
    } else {
      any(members.keySet())
          .ifPresent(id -> members.computeIfPresent(id, (i, member) -> member.withTopics(common)));
    }
  }

  private String topic() {
    return "t" + random.nextInt(6 + size / 3);
  }

  /** Also of topics that are not there, or not yet. */
  private Set<String> wanted() {
    Set<String> wanted = new TreeSet<>();
    IntStream.range(0, 6 + size / 3)
        .filter(i -> random.nextInt(alike ? 5 : 2) > 0)
        .forEach(i -> wanted.add("t" + i));
    return wanted;
  }

  private <T> Optional<T> any(Set<T> all) {
    return all.stream().skip(random.nextInt(Math.max(1, all.size()))).findFirst();
  }

  /** In a round in five some, who do not hear of the result and go on with what they have. */
  Set<MemberId> someWhoMissIt() {
    Set<MemberId> some = new HashSet<>();
    if (random.nextInt(5) == 0) {
      any(members.keySet()).ifPresent(some::add);
      any(members.keySet()).ifPresent(some::add);
    }
    return some;
  }

  /** With what members claim. */
  GroupInput input() {
    return withRacks(GroupInput.of(topics, members.values()));
  }

  /** Every third life has racks, of which only some have members. */
  private GroupInput withRacks(GroupInput group) {
    Map<String, List<Set<String>>> racks = new HashMap<>();
    topics.forEach(
        (topic, partitions) ->
            racks.put(
                topic,
                IntStream.range(0, 40)
                    .mapToObj(p -> Set.of("r" + (topic.hashCode() + p) % 5))
                    .toList()));
    return racked ? group.withRacks(racks) : group;
  }

  /** With the last assignment in place of what members claim, where that says the same. */
  Optional<GroupInput> inputWithPrevious() {
    if (last.isEmpty()) {
      return Optional.empty();
    }
    SortedMap<MemberId, Assignment> shares = last.get().shares();
    for (Member member : members.values()) {
      if (!member.owned().equals(shares.getOrDefault(member.id(), Assignment.empty()))) {
        return Optional.empty();
      }
    }
    List<Member> silent = new ArrayList<>();
    members.values().forEach(m -> silent.add(m.owning(Assignment.empty(), m.generation())));
    return Optional.of(withRacks(GroupInput.of(topics, silent)).withPrevious(last.get()));
  }

  /**
   * Whether two claim the same: what one may keep is held back then as long as the other has it.
   */
  boolean claimsContradict() {
    Assignment all = Assignment.empty();
    int count = 0;
    for (Member member : members.values()) {
      all = all.plus(member.owned());
      count += member.owned().size();
    }
    return count > all.size();
  }

  /** Of claims for one partition that of the highest generation counts, then the first by id. */
  Map<TopicPartition, MemberId> owners() {
    Map<TopicPartition, MemberId> owners = new HashMap<>();
    members.values().stream()
        .sorted(Comparator.comparing(member -> -member.generation()))
        .forEach(
            member ->
                member.owned().stream()
                    .filter(p -> member.topics().contains(p.topic()))
                    .filter(p -> topics.containsKey(p.topic()))
                    .filter(p -> topics.get(p.topic()).contains(p.partition()))
                    .forEach(p -> owners.putIfAbsent(p, member.id())));
    return owners;
  }

  /**
   * Everybody lets go of what it has no more and takes what it is given, one member after the other
   * in any order.
   *
   * @param heldBack whether somebody may still have something while another already acts
   */
  void apply(GroupAssignment result, Set<MemberId> missed, boolean heldBack) {
    generation++;
    last = Optional.of(result);
    SortedMap<MemberId, Assignment> shares = result.shares();
    if (!heldBack) {
      held.clear();
    }
    List<MemberId> order = new ArrayList<>(members.keySet());
    order.removeAll(missed);
    Collections.shuffle(order, random);
    for (MemberId id : order) {
      Assignment share = shares.get(id);
      held.entrySet().removeIf(e -> e.getValue().equals(id) && !share.contains(e.getKey()));
      share.stream().forEach(p -> take(p, id));
      members.computeIfPresent(id, (i, member) -> member.owning(share, generation));
    }
  }

  private void take(TopicPartition partition, MemberId id) {
    MemberId other = held.putIfAbsent(partition, id);
    if (other != null && !other.equals(id)) {
      throw new AssertionError(partition + " given to " + id + " while " + other + " has it");
    }
  }

  @Override
  public String toString() {
    return "generation " + generation + ", " + input();
  }
}
