package io.rebalancer.bench;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataDelta;
import org.apache.kafka.coordinator.common.runtime.CoordinatorMetadataImage;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;
import org.apache.kafka.coordinator.group.modern.SubscribedTopicDescriberImpl;
import org.apache.kafka.coordinator.group.modern.TopicIds;

/**
 * A group as kafka's group coordinator hands it to an assignor (TargetAssignmentBuilder of 4.4.0).
 * Its metadata image is a hash map here, which answers sooner than a broker's.
 */
final class ServerGroup {

  private final Image image;
  private final GroupSpecImpl spec;
  private final SubscribedTopicDescriberImpl describer;

  private ServerGroup(Image image, GroupSpecImpl spec) {
    this.image = image;
    this.spec = spec;
    this.describer = new SubscribedTopicDescriberImpl(image);
  }

  /** Members that own nothing, whatever they say. */
  static ServerGroup of(GroupInput group) {
    return of(new Image(group), group.members(), Map.of());
  }

  /** The same topics and other members, with what each of them got. */
  ServerGroup next(Collection<Member> members, GroupAssignment previous) {
    Map<String, Map<Uuid, Set<Integer>>> owned = new HashMap<>();
    previous.members().forEach((id, share) -> owned.put(id, share.partitions()));
    return of(image, members, owned);
  }

  /** As {@link #next(Collection, GroupAssignment)}, with topics that may have grown. */
  static ServerGroup of(GroupInput group, Map<String, Map<Uuid, Set<Integer>>> owned) {
    return of(new Image(group), group.members(), owned);
  }

  private static ServerGroup of(
      Image image, Collection<Member> members, Map<String, Map<Uuid, Set<Integer>>> owned) {
    TopicIds.TopicResolver resolver = new TopicIds.CachedTopicResolver(image);
    Map<String, MemberSubscriptionAndAssignmentImpl> specs = new HashMap<>();
    Map<Uuid, Map<Integer, String>> owners = new HashMap<>();
    Set<Set<String>> different = new HashSet<>();
    for (Member member : members) {
      String id = member.id().value();
      Map<Uuid, Set<Integer>> share = owned.getOrDefault(id, Map.of());
      specs.put(
          id,
          new MemberSubscriptionAndAssignmentImpl(
              Optional.empty(),
              Optional.empty(),
              new TopicIds(Set.copyOf(member.topics()), resolver),
              new Assignment(share)));
      share.forEach(
          (topic, partitions) -> {
            Map<Integer, String> byPartition =
                owners.computeIfAbsent(topic, ignored -> new HashMap<>());
            partitions.forEach(partition -> byPartition.put(partition, id));
          });
      different.add(member.topics());
    }
    SubscriptionType type =
        different.size() > 1 ? SubscriptionType.HETEROGENEOUS : SubscriptionType.HOMOGENEOUS;
    return new ServerGroup(image, new GroupSpecImpl(specs, type, owners));
  }

  GroupAssignment assign(ConsumerGroupPartitionAssignor assignor) {
    return assignor.assign(spec, describer);
  }

  Uuid id(String topic) {
    return Image.id(topic);
  }

  String topic(Uuid id) {
    return image.topicMetadata(id).orElseThrow().name();
  }

  private record Topic(String name, Uuid id, int partitionCount)
      implements CoordinatorMetadataImage.TopicMetadata {

    @Override
    public List<String> partitionRacks(int partition) {
      return List.of();
    }
  }

  private static final class Image implements CoordinatorMetadataImage {

    private final Map<Uuid, Topic> byId = new HashMap<>();
    private final Map<String, Topic> byName = new HashMap<>();

    Image(GroupInput group) {
      group
          .topics()
          .forEach(
              (name, partitions) -> {
                Topic topic = new Topic(name, id(name), partitions.size());
                byId.put(topic.id(), topic);
                byName.put(name, topic);
              });
    }

    /** Spread as random ones are, and the same in every run. */
    private static Uuid id(String topic) {
      long mixed = topic.hashCode() * 0x9E3779B97F4A7C15L;
      return new Uuid(mixed, Long.rotateLeft(mixed, 29) * 0xBF58476D1CE4E5B9L);
    }

    @Override
    public Set<Uuid> topicIds() {
      return byId.keySet();
    }

    @Override
    public Set<String> topicNames() {
      return byName.keySet();
    }

    @Override
    public Optional<TopicMetadata> topicMetadata(String name) {
      return Optional.ofNullable(byName.get(name));
    }

    @Override
    public Optional<TopicMetadata> topicMetadata(Uuid id) {
      return Optional.ofNullable(byId.get(id));
    }

    @Override
    public CoordinatorMetadataDelta emptyDelta() {
      throw new UnsupportedOperationException();
    }

    @Override
    public long version() {
      return 1;
    }

    @Override
    public boolean isEmpty() {
      return byId.isEmpty();
    }
  }
}
