package io.rebalancer.core.assignor.member;

import static java.util.stream.Collectors.groupingBy;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Each topic on its own: its members in order get p/n partitions each in numeric order, the first p
 * mod n one more (kafka-clients 4.4, {@code RangeAssignor}).
 *
 * <p>Where members and replicas have racks that not all partitions share, partitions go first to
 * members in a rack of theirs, as far as the members' numbers allow (KIP-881). Topics that the same
 * members subscribe to and that have as many partitions stay together: the same numbers to the same
 * members, in a rack only where all of them match.
 */
public final class RangeMemberAssignor implements MemberAssignor {

  @Override
  public String name() {
    return "range";
  }

  @Override
  public SortedMap<MemberId, Assignment> assign(GroupInput group) {
    Shares shares = new Shares(group);
    List<Topic> topics = new ArrayList<>();
    group
        .topics()
        .forEach(
            (name, partitions) -> {
              List<Member> subscribers =
                  group.members().values().stream()
                      .filter(member -> member.topics().contains(name))
                      .sorted(Member.BY_INSTANCE)
                      .toList();
              if (!subscribers.isEmpty() && !partitions.isEmpty()) {
                topics.add(new Topic(group, name, partitions, subscribers, shares));
              }
            });
    if (topics.stream().anyMatch(topic -> topic.usesRacks)) {
      byRack(topics);
    }
    topics.forEach(topic -> topic.giveRanges(false));
    return shares.build();
  }

  private static void byRack(List<Topic> topics) {
    Map<List<Object>, List<Topic>> alike =
        topics.stream()
            .collect(groupingBy(topic -> List.of(topic.subscribers, topic.partitions.size())));
    for (List<Topic> together : alike.values()) {
      if (together.size() > 1) {
        giveTogether(together);
      } else if (together.get(0).usesRacks) {
        together.get(0).giveRanges(true);
      }
    }
  }

  /** The same numbers of all topics to one member, where its rack suits each of them. */
  private static void giveTogether(List<Topic> topics) {
    Topic first = topics.get(0);
    for (int index = 0; index < first.partitions.size(); index++) {
      int at = index;
      first.subscribers.stream()
          .filter(
              member ->
                  topics.stream()
                      .allMatch(
                          topic ->
                              topic.room(member) > 0 && topic.suits(member, topic.numbers[at])))
          .findFirst()
          .ifPresent(member -> topics.forEach(topic -> topic.give(member, topic.numbers[at])));
    }
  }

  /** One topic while it is handed out. */
  private static final class Topic {
    private final GroupInput group;
    private final String name;
    private final PartitionSet partitions;
    private final int[] numbers;
    private final List<Member> subscribers;
    private final Shares shares;
    private final boolean usesRacks;
    private final TreeSet<Integer> left = new TreeSet<>();
    private final Map<MemberId, Integer> given = new TreeMap<>();
    private final int each;
    private int larger;

    Topic(
        GroupInput group,
        String name,
        PartitionSet partitions,
        List<Member> subscribers,
        Shares shares) {
      this.group = group;
      this.name = name;
      this.partitions = partitions;
      this.numbers = partitions.stream().toArray();
      this.subscribers = subscribers;
      this.shares = shares;
      this.each = numbers.length / subscribers.size();
      this.larger = numbers.length % subscribers.size();
      partitions.forEach(left::add);
      this.usesRacks = racksDiffer();
    }

    /** Whether somebody is in a rack of some partition, and not all have the same racks. */
    private boolean racksDiffer() {
      Set<String> all = new HashSet<>();
      for (int p : numbers) {
        all.addAll(group.racks(name, p));
      }
      if (subscribers.stream().noneMatch(member -> all.contains(member.rack()))) {
        return false;
      }
      for (int p : numbers) {
        if (!group.racks(name, p).equals(all)) {
          return true;
        }
      }
      return false;
    }

    boolean suits(Member member, int partition) {
      return member.rack().isEmpty() || group.racks(name, partition).contains(member.rack());
    }

    int room(Member member) {
      int more = larger > 0 ? 1 : 0;
      return Math.max(0, each + more - given.getOrDefault(member.id(), 0));
    }

    void give(Member member, int partition) {
      shares.give(member.id(), name, partition);
      left.remove(partition);
      if (given.merge(member.id(), 1, Integer::sum) == each + 1) {
        larger--;
      }
    }

    void giveRanges(boolean inTheirRack) {
      for (Member member : subscribers) {
        int room = room(member);
        for (int partition : List.copyOf(left)) {
          if (room == 0) {
            break;
          }
          if (!inTheirRack || suits(member, partition)) {
            give(member, partition);
            room--;
          }
        }
      }
    }
  }
}
