package io.rebalancer.core.assignor.member;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What an assignor decides from. Immutable, and independent of the order in which it was put
 * together.
 *
 * @param topics the partitions of each known topic; a topic that is subscribed and not known has
 *     none
 * @param members by id
 * @param racks for each topic where they are known, by partition number, the racks of its replicas
 */
public record GroupInput(
    SortedMap<String, PartitionSet> topics,
    SortedMap<MemberId, Member> members,
    SortedMap<String, List<Set<String>>> racks) {

  public GroupInput {
    topics = Collections.unmodifiableSortedMap(new TreeMap<>(topics));
    members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
    SortedMap<String, List<Set<String>>> copies = new TreeMap<>();
    racks.forEach((topic, sets) -> copies.put(topic, sets.stream().map(Set::copyOf).toList()));
    racks = Collections.unmodifiableSortedMap(copies);
  }

  /**
   * Without racks.
   *
   * @throws IllegalArgumentException when two members have the same id
   */
  public static GroupInput of(Map<String, PartitionSet> topics, Collection<Member> members) {
    SortedMap<MemberId, Member> byId = new TreeMap<>();
    for (Member member : members) {
      if (byId.put(member.id(), member) != null) {
        throw new IllegalArgumentException(
            "member " + member.id() + ": given twice (expected: each member once)");
      }
    }
    return new GroupInput(new TreeMap<>(topics), byId, new TreeMap<>());
  }

  public GroupInput withRacks(Map<String, List<Set<String>>> value) {
    return new GroupInput(topics, members, new TreeMap<>(value));
  }

  /** The racks of a partition's replicas; empty where they are not known. */
  public Set<String> racks(String topic, int partition) {
    List<Set<String>> known = racks.getOrDefault(topic, List.of());
    return partition < known.size() ? known.get(partition) : Set.of();
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
   */
  public record Member(
      MemberId id,
      String instanceId,
      SortedSet<String> topics,
      Assignment owned,
      int generation,
      String rack) {

    /** The generation of a member that has none (KIP-792). */
    public static final int NO_GENERATION = -1;

    public Member {
      requireNonNull(id, "id");
      requireNonNull(instanceId, "instanceId");
      requireNonNull(owned, "owned");
      requireNonNull(rack, "rack");
      topics = Collections.unmodifiableSortedSet(new TreeSet<>(topics));
    }

    /** A dynamic member without a rack that owns nothing. */
    public static Member of(String id, Set<String> topics) {
      return new Member(
          new MemberId(id), "", new TreeSet<>(topics), Assignment.empty(), NO_GENERATION, "");
    }

    public Member owning(Assignment partitions, int inGeneration) {
      return new Member(id, instanceId, topics, partitions, inGeneration, rack);
    }

    public Member withInstanceId(String value) {
      return new Member(id, value, topics, owned, generation, rack);
    }

    public Member withRack(String value) {
      return new Member(id, instanceId, topics, owned, generation, value);
    }

    /** Static members first, by instance id; then the others by member id (KIP-345). */
    static final Comparator<Member> BY_INSTANCE =
        Comparator.comparing((Member member) -> member.instanceId.isEmpty())
            .thenComparing(
                member -> member.instanceId.isEmpty() ? member.id.value() : member.instanceId);
  }
}
