package io.rebalancer.bridge.group;

import io.rebalancer.bridge.group.GroupSnapshot.Owner;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Kafka's {@code VerifyConsumerRebalance} (0.8), with names: every partition of every subscribed
 * topic has an owner node, and its owner is a registered thread that subscribes to the topic. A
 * group without members is in order.
 */
public final class OwnershipCheck {

  private OwnershipCheck() {}

  /** The topics that any member subscribes to. */
  public static Set<String> subscribedTopics(GroupSnapshot group) {
    Set<String> topics = new TreeSet<>();
    group.members().values().forEach(s -> topics.addAll(s.streams().keySet()));
    return topics;
  }

  /** What is wrong, a sentence each, registrations first, then by partition. */
  public static List<String> offenders(GroupSnapshot group) {
    List<String> offenders = new ArrayList<>(group.unreadable());
    for (String topic : subscribedTopics(group)) {
      if (!group.topics().containsKey(topic)) {
        offenders.add(topic + ": subscribed to, and does not exist");
        continue;
      }
      if (group.topics().get(topic).isEmpty()) {
        offenders.add(topic + ": subscribed to, and has no partitions");
      }
      Set<String> threads = new HashSet<>();
      group
          .members()
          .forEach(
              (member, subscription) ->
                  subscription.threads(member, topic).forEach(t -> threads.add(t.toString())));
      group
          .topics()
          .get(topic)
          .forEach(number -> check(new TopicPartition(topic, number), threads, group, offenders));
    }
    return offenders;
  }

  private static void check(
      TopicPartition partition, Set<String> threads, GroupSnapshot group, List<String> offenders) {
    Owner owner = group.owners().get(partition);
    if (owner == null) {
      offenders.add(partition + ": nobody owns it");
    } else if (!threads.contains(owner.thread())) {
      offenders.add(
          partition
              + ": owned by \""
              + owner.thread()
              + "\", which is no registered thread that subscribes to "
              + partition.topic());
    }
  }
}
