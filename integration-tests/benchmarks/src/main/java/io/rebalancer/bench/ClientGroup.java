package io.rebalancer.bench;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription;
import org.apache.kafka.clients.consumer.internals.AbstractPartitionAssignor;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** A group as kafka's client, its group leader, hands it to an assignor. */
final class ClientGroup {

  private static final int GENERATION = 1;
  private static final Node[] REPLICAS = {new Node(0, "broker", 9092)};

  private final Supplier<? extends AbstractPartitionAssignor> assignors;
  private final AbstractPartitionAssignor leaders;
  private final Map<String, List<PartitionInfo>> topics;
  private final Map<String, Subscription> subscriptions;

  private ClientGroup(
      Supplier<? extends AbstractPartitionAssignor> assignors,
      Map<String, List<PartitionInfo>> topics,
      Map<String, Subscription> subscriptions) {
    this.assignors = assignors;
    this.leaders = assignors.get();
    this.topics = topics;
    this.subscriptions = subscriptions;
  }

  /** Members that own nothing, whatever they say. */
  static ClientGroup of(GroupInput group, Supplier<? extends AbstractPartitionAssignor> assignors) {
    Map<String, List<PartitionInfo>> topics = new HashMap<>();
    group
        .topics()
        .forEach(
            (topic, partitions) -> {
              List<PartitionInfo> infos = new ArrayList<>();
              partitions.forEach(
                  p -> infos.add(new PartitionInfo(topic, p, REPLICAS[0], REPLICAS, REPLICAS)));
              topics.put(topic, infos);
            });
    return new ClientGroup(
        assignors, topics, subscriptions(assignors, group.members(), new HashMap<>()));
  }

  /** The same topics and other members, with what each of them got one generation ago. */
  ClientGroup next(Collection<Member> members, Map<String, List<TopicPartition>> previous) {
    return new ClientGroup(assignors, topics, subscriptions(assignors, members, previous));
  }

  private static Map<String, Subscription> subscriptions(
      Supplier<? extends AbstractPartitionAssignor> assignors,
      Collection<Member> members,
      Map<String, List<TopicPartition>> previous) {
    Map<String, Subscription> subscriptions = new HashMap<>();
    for (Member member : members) {
      List<TopicPartition> owned = previous.get(member.id().value());
      subscriptions.put(
          member.id().value(),
          owned == null
              ? new Subscription(new ArrayList<>(member.topics()))
              : owning(assignors.get(), member, owned));
    }
    return subscriptions;
  }

  /** What a member sends that was assigned that: sticky believes its user data. */
  @SuppressWarnings("removal") // An assignor cannot be told a generation otherwise.
  private static Subscription owning(
      AbstractPartitionAssignor assignor, Member member, List<TopicPartition> owned) {
    assignor.onAssignment(
        new Assignment(owned),
        new ConsumerGroupMetadata("group", GENERATION, member.id().value(), Optional.empty()));
    ByteBuffer userData = assignor.subscriptionUserData(Set.copyOf(member.topics()));
    return new Subscription(
        new ArrayList<>(member.topics()), userData, owned, GENERATION, Optional.empty());
  }

  Map<String, List<TopicPartition>> assign() {
    // It reads the user data to its end; the next time it would find nothing.
    for (Subscription subscription : subscriptions.values()) {
      if (subscription.userData() != null) {
        subscription.userData().rewind();
      }
    }
    return leaders.assignPartitions(topics, subscriptions);
  }
}
