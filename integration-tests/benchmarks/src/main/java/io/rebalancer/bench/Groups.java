package io.rebalancer.bench;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The groups that are measured: min(1000, partitions / 100) topics of equal size. */
final class Groups {

  private static final int MOST_TOPICS = 1000;
  private static final int LEAST_TOPIC = 100;
  private static final long SEED = 848;

  private Groups() {}

  static int topics(int partitions) {
    return Math.max(1, Math.min(MOST_TOPICS, partitions / LEAST_TOPIC));
  }

  static GroupInput of(int partitions, int members, Subscriptions subscriptions) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    int count = topics(partitions);
    for (int t = 0; t < count; t++) {
      int size = partitions / count + (t < partitions % count ? 1 : 0);
      topics.put("topic-%04d".formatted(t), PartitionSet.range(0, size));
    }
    return GroupInput.of(topics, members(new ArrayList<>(topics.keySet()), members, subscriptions));
  }

  private static List<Member> members(List<String> topics, int count, Subscriptions subscriptions) {
    Random random = new Random(SEED);
    TopicSet all = TopicSet.copyOf(topics);
    List<Member> members = new ArrayList<>();
    for (int m = 0; m < count; m++) {
      String id = "member-%05d".formatted(m);
      if (subscriptions == Subscriptions.IDENTICAL) {
        members.add(Member.of(id, all));
      } else {
        List<String> shuffled = new ArrayList<>(topics);
        Collections.shuffle(shuffled, random);
        members.add(Member.of(id, TopicSet.copyOf(shuffled.subList(0, (topics.size() + 1) / 2))));
      }
    }
    return subscriptions == Subscriptions.MIXED ? withoutGaps(topics, members) : members;
  }

  /** Topics that nobody has drawn go to one member after the other. */
  private static List<Member> withoutGaps(List<String> topics, List<Member> members) {
    TreeSet<String> gaps = new TreeSet<>(topics);
    members.forEach(member -> gaps.removeAll(member.topics()));
    List<Member> full = new ArrayList<>(members);
    int next = 0;
    for (String topic : gaps) {
      int m = next++ % full.size();
      TreeSet<String> more = new TreeSet<>(full.get(m).topics());
      more.add(topic);
      full.set(m, full.get(m).withTopics(more));
    }
    return full;
  }

  /** Those that stay when the one in the middle of the order of ids leaves. */
  static List<Member> staying(GroupInput group) {
    List<Member> staying = new ArrayList<>(group.members());
    staying.remove(staying.size() / 2);
    return staying;
  }
}
