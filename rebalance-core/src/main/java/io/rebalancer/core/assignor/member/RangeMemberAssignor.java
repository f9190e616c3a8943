package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;
import static java.util.stream.Collectors.groupingBy;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

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
  public GroupAssignment assign(GroupInput group) {
    int[] owners = new int[group.partitions.size()];
    Arrays.fill(owners, NOBODY);
    int[] order = RoundRobinMemberAssignor.byInstance(group);
    Subscribers subscribers = Subscribers.of(group);
    int[] wants = new int[order.length];
    Arrays.fill(wants, PartitionIndex.NONE);
    List<Topic> topics = new ArrayList<>();
    for (int t = 0; t < group.partitions.topics(); t++) {
      if (subscribers.count(t) == 0 || group.partitions.size(t) == 0) {
        continue;
      }
      for (int m : subscribers.toArray(t)) {
        wants[m] = t;
      }
      int[] ordered = new int[subscribers.count(t)];
      int at = 0;
      for (int m : order) {
        if (wants[m] == t) {
          ordered[at++] = m;
        }
      }
      Topic topic = new Topic(group, t, ordered, owners);
      if (group.hasRacks()) {
        topics.add(topic);
      } else {
        topic.giveRanges();
      }
    }
    if (topics.stream().anyMatch(Topic::usesRacks)) {
      byRack(topics);
    }
    topics.forEach(Topic::giveRanges);
    return new GroupAssignment(group, owners);
  }

  private static void byRack(List<Topic> topics) {
    Map<List<Object>, List<Topic>> alike =
        topics.stream()
            .collect(
                groupingBy(
                    topic ->
                        List.of(IntStream.of(topic.subscribers).boxed().toList(), topic.size)));
    for (List<Topic> together : alike.values()) {
      if (together.size() > 1) {
        giveTogether(together);
      } else if (together.get(0).usesRacks()) {
        together.get(0).giveInRack();
      }
    }
  }

  /** The same numbers of all topics to one member, where its rack suits each of them. */
  private static void giveTogether(List<Topic> topics) {
    Topic first = topics.get(0);
    for (int index = 0; index < first.size; index++) {
      for (int i = 0; i < first.subscribers.length; i++) {
        int at = index;
        int taker = i;
        if (topics.stream().allMatch(topic -> topic.room(taker) > 0 && topic.suits(taker, at))) {
          topics.forEach(topic -> topic.give(taker, at));
          break;
        }
      }
    }
  }

  /** One topic while it is handed out; partitions and subscribers by their positions in it. */
  private static final class Topic {
    private final GroupInput group;
    private final int topic;
    private final String name;
    private final PartitionSet partitions;
    private final int start;
    private final int size;
    private final int[] subscribers;
    private final int[] owners;
    private final int[] given;
    private final int each;
    private int larger;

    Topic(GroupInput group, int topic, int[] subscribers, int[] owners) {
      this.group = group;
      this.topic = topic;
      this.name = group.partitions.names[topic];
      this.partitions = group.partitions.sets[topic];
      this.start = group.partitions.starts[topic];
      this.size = group.partitions.size(topic);
      this.subscribers = subscribers;
      this.owners = owners;
      this.given = new int[subscribers.length];
      this.each = size / subscribers.length;
      this.larger = size % subscribers.length;
    }

    /** Whether somebody is in a rack of some partition, and not all have the same racks. */
    boolean usesRacks() {
      List<Set<String>> racks =
          partitions.stream().mapToObj(p -> group.racks(name, p)).distinct().toList();
      Set<String> all = new HashSet<>();
      racks.forEach(all::addAll);
      return racks.size() > 1
          && IntStream.of(subscribers).anyMatch(m -> all.contains(group.members[m].rack()));
    }

    boolean suits(int subscriber, int index) {
      Member member = group.members[subscribers[subscriber]];
      return member.rack().isEmpty()
          || group
              .racks(name, group.partitions.partition(topic, start + index))
              .contains(member.rack());
    }

    int room(int subscriber) {
      return Math.max(0, each + (larger > 0 ? 1 : 0) - given[subscriber]);
    }

    void give(int subscriber, int index) {
      owners[start + index] = subscribers[subscriber];
      if (++given[subscriber] == each + 1) {
        larger--;
      }
    }

    void giveInRack() {
      for (int i = 0; i < subscribers.length; i++) {
        int room = room(i);
        for (int index = 0; index < size && room > 0; index++) {
          if (owners[start + index] == NOBODY && suits(i, index)) {
            give(i, index);
            room--;
          }
        }
      }
    }

    void giveRanges() {
      int index = 0;
      for (int i = 0; i < subscribers.length; i++) {
        for (int room = room(i); room > 0 && index < size; index++) {
          if (owners[start + index] == NOBODY) {
            give(i, index);
            room--;
          }
        }
      }
    }
  }
}
