package io.rebalancer.core.assignor;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The original's round robin (kafka 0.8.2-1.1, {@code kafka.consumer.RoundRobinAssignor}): all
 * partitions of the group, ordered by the signed hash code of their text, are dealt to all threads
 * of the group in text order.
 *
 * <p>Partitions with equal hash codes keep the order of the Scala hash maps their topics went
 * through. Topics that share a chain there come in the order in which the group's registrations
 * were listed, which ZooKeeper does not define: here as if that of names.
 */
public final class RoundRobinAssignor implements PartitionAssignor {

  /**
   * What differs between releases: the hashed text, and whether unequal subscriptions are refused.
   */
  public enum Release {
    /**
     * 0.8.2 to 0.10.1: text {@code [topic,p]}; all members must have equal streams for equal
     * topics, and 0.8.2 itself fails when there are none (KAFKA-1648).
     */
    V0_8_2("[%s,%d]", true, 3),
    /**
     * 0.10.2 and 0.11.0: text {@code [topic,p]}; threads that do not want a topic lose their turn.
     */
    V0_10_2("[%s,%d]", false, 4),
    /** 1.0 and 1.1: text {@code topic-p}; as 0.10.2 otherwise. */
    V1_0("%s-%d", false, 4);

    private final String textFormat;
    private final boolean equalSubscriptionsOnly;

    /**
     * After the registration's immutable map: threads by topic (own), consumers by topic (all; from
     * 0.10.2 on its keys are the topics), assignment by topic, partitions by topic.
     */
    private final int hashMaps;

    Release(String textFormat, boolean equalSubscriptionsOnly, int hashMaps) {
      this.textFormat = textFormat;
      this.equalSubscriptionsOnly = equalSubscriptionsOnly;
      this.hashMaps = hashMaps;
    }

    int hash(TopicPartition p) {
      return String.format(textFormat, p.topic(), p.partition()).hashCode();
    }
  }

  private final Release release;

  public RoundRobinAssignor(Release release) {
    this.release = release;
  }

  @Override
  public String name() {
    return "roundrobin";
  }

  /** Throws {@link IllegalArgumentException} where the release demands equal subscriptions. */
  @Override
  public SortedMap<ThreadId, Assignment> assignThreads(
      Map<String, PartitionSet> topics, Map<MemberId, Subscription> members) {
    if (release.equalSubscriptionsOnly) {
      demandEqualSubscriptions(members);
    }
    List<TopicPartition> order = new ArrayList<>();
    for (String topic : ScalaHashOrder.of(new TreeSet<>(topics.keySet()), release.hashMaps)) {
      topics
          .getOrDefault(topic, PartitionSet.empty())
          .forEach(number -> order.add(new TopicPartition(topic, number)));
    }
    order.sort(Comparator.comparingInt(release::hash));
    return deal(order, members);
  }

  /** Deals the partitions in the order given. */
  static SortedMap<ThreadId, Assignment> deal(
      List<TopicPartition> order, Map<MemberId, Subscription> members) {
    SortedMap<ThreadId, Assignment> shares = GroupThreads.withNothing(members);
    List<ThreadId> ring = new ArrayList<>(shares.keySet());
    SortedMap<ThreadId, List<TopicPartition>> dealt = new TreeMap<>();
    int turn = 0;
    for (TopicPartition partition : order) {
      for (int skipped = 0; skipped < ring.size(); skipped++) {
        ThreadId thread = ring.get(turn++ % ring.size());
        if (wants(thread, partition.topic(), members)) {
          dealt.computeIfAbsent(thread, t -> new ArrayList<>()).add(partition);
          break;
        }
      }
    }
    dealt.forEach((thread, list) -> shares.put(thread, Assignment.ofPartitions(list)));
    return shares;
  }

  private static boolean wants(ThreadId thread, String topic, Map<MemberId, Subscription> members) {
    Subscription subscription = members.get(thread.member());
    return subscription != null && thread.number() < subscription.streams().getOrDefault(topic, 0);
  }

  private static void demandEqualSubscriptions(Map<MemberId, Subscription> members) {
    Set<String> topics = new TreeSet<>();
    members.values().forEach(subscription -> topics.addAll(subscription.streams().keySet()));
    if (topics.isEmpty()) {
      throw new IllegalArgumentException(
          "round robin of kafka 0.8.2 demands that somebody of the group subscribes to a topic");
    }
    SortedMap<String, List<ThreadId>> threads = new TreeMap<>();
    topics.forEach(topic -> threads.put(topic, GroupThreads.of(topic, members)));
    if (threads.values().stream().distinct().count() > 1) {
      throw new IllegalArgumentException(
          "round robin demands that all members of the group subscribe to the same topics and have"
              + " the same number of streams for each of them; streams by topic: "
              + threads);
    }
  }
}
