package io.rebalancer.core.assignor.member;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What an assignor decides from. Immutable, and independent of the order in which it was put
 * together.
 */
public final class GroupInput {

  final PartitionIndex partitions;
  final MemberId[] ids;
  final Member[] members;

  /** For each member the known topics it subscribes to, ascending; equal ones are one array. */
  final int[][] subscriptions;

  /** By the partition's place; empty when all weigh 1. */
  final double[] weights;

  final @Nullable GroupAssignment previous;
  private final Map<String, List<Set<String>>> racks;

  private GroupInput(
      PartitionIndex partitions,
      Member[] members,
      int[][] subscriptions,
      Map<String, List<Set<String>>> racks,
      double[] weights,
      @Nullable GroupAssignment previous) {
    this.partitions = partitions;
    this.members = members;
    this.ids = new MemberId[members.length];
    for (int m = 0; m < members.length; m++) {
      ids[m] = members[m].id;
    }
    this.subscriptions = subscriptions;
    this.racks = racks;
    this.weights = weights;
    this.previous = previous;
  }

  /**
   * Members that say what they own, without racks and weights.
   *
   * @param topics the partitions of each known topic; one that is subscribed and not known has none
   * @throws IllegalArgumentException when two members have the same id
   */
  public static GroupInput of(Map<String, PartitionSet> topics, Collection<Member> members) {
    requireNonNull(topics, "topics");
    requireNonNull(members, "members");
    PartitionIndex partitions = new PartitionIndex(topics);
    Member[] sorted = sorted(members);
    return new GroupInput(
        partitions,
        sorted,
        subscriptions(partitions, sorted, Map.of()),
        Map.of(),
        new double[0],
        null);
  }

  private static Member[] sorted(Collection<Member> members) {
    Member[] sorted =
        members.stream().sorted(Comparator.comparing(Member::id)).toArray(Member[]::new);
    for (int m = 1; m < sorted.length; m++) {
      if (sorted[m].id.equals(sorted[m - 1].id)) {
        throw new IllegalArgumentException(
            "member " + sorted[m].id + ": given twice (expected: each member once)");
      }
    }
    return sorted;
  }

  /**
   * Equal ones are one array.
   *
   * @param known of members that were there before, so that what has not changed stays the same
   */
  private static int[][] subscriptions(
      PartitionIndex partitions, Member[] members, Map<TopicSet, int[]> known) {
    Map<TopicSet, int[]> same = new IdentityHashMap<>(known);
    Map<TopicSet, int[]> equal = new HashMap<>();
    int[][] subscriptions = new int[members.length][];
    for (int m = 0; m < members.length; m++) {
      int[] found = same.get(members[m].topics);
      if (found == null) {
        if (equal.isEmpty()) {
          equal.putAll(known);
        }
        found = equal.computeIfAbsent(members[m].topics, topics -> found(partitions, topics));
        same.put(members[m].topics, found);
      }
      subscriptions[m] = found;
    }
    return subscriptions;
  }

  private static int[] found(PartitionIndex partitions, TopicSet topics) {
    return topics.stream().mapToInt(partitions::topic).filter(t -> t >= 0).toArray();
  }

  /**
   * The same topics with other members. A previous assignment stays: what it says counts, and not
   * what these members say they own.
   */
  public GroupInput withMembers(Collection<Member> value) {
    requireNonNull(value, "value");
    Map<TopicSet, int[]> known = new IdentityHashMap<>();
    for (int m = 0; m < members.length; m++) {
      known.put(members[m].topics, subscriptions[m]);
    }
    Member[] sorted = sorted(value);
    return new GroupInput(
        partitions, sorted, subscriptions(partitions, sorted, known), racks, weights, previous);
  }

  /**
   * What members own, in place of what they say. Owners and partitions that the group does not have
   * any more count as none, and so does an owner that does not subscribe.
   */
  public GroupInput withPrevious(GroupAssignment value) {
    requireNonNull(value, "value");
    return new GroupInput(partitions, members, subscriptions, racks, weights, value);
  }

  /**
   * @param value for each topic where they are known, by partition number, the racks of its
   *     replicas
   */
  public GroupInput withRacks(Map<String, List<Set<String>>> value) {
    requireNonNull(value, "value");
    Map<String, List<Set<String>>> copy = new HashMap<>();
    value.forEach((topic, sets) -> copy.put(topic, sets.stream().map(Set::copyOf).toList()));
    return new GroupInput(partitions, members, subscriptions, copy, weights, previous);
  }

  /**
   * @param value for each topic by partition number what each partition weighs; those not named
   *     weigh 1
   * @throws IllegalArgumentException for a weight that is negative, infinite or no number
   */
  public GroupInput withWeights(Map<String, double[]> value) {
    requireNonNull(value, "value");
    double[] flat = new double[partitions.size()];
    Arrays.fill(flat, 1);
    value.forEach(
        (topic, weighed) -> {
          for (int p = 0; p < weighed.length; p++) {
            if (!(weighed[p] >= 0 && weighed[p] < Double.POSITIVE_INFINITY)) {
              throw new IllegalArgumentException(
                  "weight of "
                      + topic
                      + "-"
                      + p
                      + ": "
                      + weighed[p]
                      + " (expected: a finite number, 0 or more)");
            }
            int t = partitions.topic(topic);
            int place = t < 0 ? PartitionIndex.NONE : partitions.place(t, p);
            if (place >= 0) {
              flat[place] = weighed[p];
            }
          }
        });
    return new GroupInput(partitions, members, subscriptions, racks, flat, previous);
  }

  /** By topic, also those without partitions. */
  public SortedMap<String, PartitionSet> topics() {
    return partitions.toMap();
  }

  /** In the order of their ids. */
  public List<Member> members() {
    return Collections.unmodifiableList(Arrays.asList(members));
  }

  public Optional<Member> member(MemberId id) {
    int at = Arrays.binarySearch(ids, id);
    return at < 0 ? Optional.empty() : Optional.of(members[at]);
  }

  /** What members own in place of what they say, where that was given. */
  public Optional<GroupAssignment> previous() {
    return Optional.ofNullable(previous);
  }

  public boolean hasRacks() {
    return !racks.isEmpty();
  }

  /** The racks of a partition's replicas; empty where they are not known. */
  public Set<String> racks(String topic, int partition) {
    List<Set<String>> known = racks.getOrDefault(topic, List.of());
    return partition >= 0 && partition < known.size() ? known.get(partition) : Set.of();
  }

  /** What a partition weighs: 1 where nothing else was said. */
  public double weight(String topic, int partition) {
    int t = partitions.topic(topic);
    int place = t < 0 || weights.length == 0 ? PartitionIndex.NONE : partitions.place(t, partition);
    return place < 0 ? 1 : weights[place];
  }

  @Override
  public String toString() {
    return "topics "
        + topics()
        + ", members "
        + members()
        + (racks.isEmpty() ? "" : ", racks " + racks)
        + (weights.length == 0 ? "" : ", weights " + Arrays.toString(weights))
        + (previous == null ? "" : ", previous " + previous);
  }

  /**
   * One member.
   *
   * @param instanceId {@code group.instance.id}; empty when it has none
   * @param topics what it subscribes to
   * @param owned what it says it owns; may name partitions that do not exist, that it does not
   *     subscribe to any more, or that others name too
   * @param generation of the rebalance that gave it that; the higher one is believed
   * @param rack {@code client.rack}; empty when it has none
   * @param capacity how much it can carry beside the others, more than 0; 1 where nobody says
   */
  public record Member(
      MemberId id,
      String instanceId,
      TopicSet topics,
      Assignment owned,
      int generation,
      String rack,
      double capacity) {

    /** The generation of a member that has none (KIP-792). */
    public static final int NO_GENERATION = -1;

    /** Throws {@link IllegalArgumentException} for a capacity that is no number above 0. */
    public Member {
      requireNonNull(id, "id");
      requireNonNull(instanceId, "instanceId");
      requireNonNull(topics, "topics");
      requireNonNull(owned, "owned");
      requireNonNull(rack, "rack");
      if (!(capacity > 0 && capacity < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "capacity of member " + id + ": " + capacity + " (expected: a finite number above 0)");
      }
    }

    /** A dynamic member without a rack that owns nothing. */
    public static Member of(String id, Set<String> topics) {
      return new Member(
          new MemberId(id), "", TopicSet.copyOf(topics), Assignment.empty(), NO_GENERATION, "", 1);
    }

    public Member owning(Assignment partitions, int inGeneration) {
      return new Member(id, instanceId, topics, partitions, inGeneration, rack, capacity);
    }

    public Member withTopics(Set<String> value) {
      return new Member(id, instanceId, TopicSet.copyOf(value), owned, generation, rack, capacity);
    }

    public Member withInstanceId(String value) {
      return new Member(id, value, topics, owned, generation, rack, capacity);
    }

    public Member withRack(String value) {
      return new Member(id, instanceId, topics, owned, generation, value, capacity);
    }

    public Member withCapacity(double value) {
      return new Member(id, instanceId, topics, owned, generation, rack, value);
    }

    /** Static members first, by instance id; then the others by member id (KIP-345). */
    static final Comparator<Member> BY_INSTANCE =
        Comparator.comparing((Member member) -> member.instanceId.isEmpty())
            .thenComparing(
                member -> member.instanceId.isEmpty() ? member.id.value() : member.instanceId);
  }
}
