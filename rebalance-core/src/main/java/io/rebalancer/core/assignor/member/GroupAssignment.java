package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Who is to own which partition of a group. Immutable; one int for each partition, so that a
 * million of them stay cheap. A partition may have no owner: nobody subscribes to it, or somebody
 * has to let go of it first.
 */
public final class GroupAssignment {

  static final int NOBODY = -1;

  final PartitionIndex partitions;
  final MemberId[] ids;

  /**
   * What the members subscribed to; as long as that is the same array, nothing has changed. Null
   * where somebody may own what it does not subscribe to.
   */
  final int @Nullable [][] subscriptions;

  /** By the partition's place the place of its owner among the members, or {@link #NOBODY}. */
  final int[] owners;

  /** Of owners that subscribe to what they own. */
  GroupAssignment(GroupInput group, int[] owners) {
    this(group, owners, group.subscriptions);
  }

  /** Of owners of which some may own what they do not subscribe to. */
  GroupAssignment(GroupInput group, int[] owners, int @Nullable [][] subscriptions) {
    this.partitions = group.partitions;
    this.ids = group.ids;
    this.subscriptions = subscriptions;
    this.owners = owners;
  }

  /**
   * Of what each member of the group is to get; members that are not named get nothing. Whether
   * they subscribe to it is not looked at.
   *
   * @throws IllegalArgumentException for a member or partition that the group does not have, and
   *     for a partition that two are to get
   */
  public static GroupAssignment of(GroupInput group, Map<MemberId, Assignment> shares) {
    int[] owners = new int[group.partitions.size()];
    Arrays.fill(owners, NOBODY);
    new TreeMap<>(shares)
        .forEach(
            (id, share) -> {
              int member = Arrays.binarySearch(group.ids, id);
              if (member < 0) {
                throw new IllegalArgumentException("member " + id + ": is not in the group");
              }
              share.stream().forEach(p -> owners[free(group, owners, p, id)] = member);
            });
    return new GroupAssignment(group, owners, null);
  }

  private static int free(GroupInput group, int[] owners, TopicPartition p, MemberId id) {
    int topic = group.partitions.topic(p.topic());
    int place = topic < 0 ? PartitionIndex.NONE : group.partitions.place(topic, p.partition());
    if (place < 0) {
      throw new IllegalArgumentException("member " + id + ": " + p + " does not exist");
    }
    if (owners[place] != NOBODY) {
      throw new IllegalArgumentException(
          "member " + id + ": " + p + " is " + group.ids[owners[place]] + "'s");
    }
    return place;
  }

  /** All members, ascending. */
  public List<MemberId> members() {
    return Collections.unmodifiableList(Arrays.asList(ids));
  }

  /** Empty for a partition that nobody owns or that does not exist. */
  public Optional<MemberId> owner(TopicPartition partition) {
    int topic = partitions.topic(partition.topic());
    int place = topic < 0 ? PartitionIndex.NONE : partitions.place(topic, partition.partition());
    return place < 0 || owners[place] == NOBODY
        ? Optional.empty()
        : Optional.of(ids[owners[place]]);
  }

  /** How many partitions each member owns, in the order of {@link #members}. */
  public int[] loads() {
    int[] loads = new int[ids.length];
    for (int owner : owners) {
      if (owner != NOBODY) {
        loads[owner]++;
      }
    }
    return loads;
  }

  /** What each member owns, also those that own nothing: one pass over all partitions. */
  public SortedMap<MemberId, Assignment> shares() {
    List<SortedMap<String, PartitionSet>> shares = new ArrayList<>();
    for (int m = 0; m < ids.length; m++) {
      shares.add(new TreeMap<>());
    }
    OpenSets open = new OpenSets(ids.length);
    for (int t = 0; t < partitions.topics(); t++) {
      int place = partitions.starts[t];
      PartitionSet set = partitions.sets[t];
      for (int range = 0; range < set.ranges(); range++) {
        for (int p = set.first(range); p <= set.last(range); p++) {
          int owner = owners[place++];
          if (owner != NOBODY) {
            open.add(owner, p);
          }
        }
      }
      String name = partitions.names[t];
      open.close((owned, owner) -> shares.get(owner).put(name, owned));
    }
    SortedMap<MemberId, Assignment> result = new TreeMap<>();
    for (int m = 0; m < ids.length; m++) {
      result.put(ids[m], new Assignment(shares.get(m)));
    }
    return Collections.unmodifiableSortedMap(result);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof GroupAssignment that
        && Arrays.equals(ids, that.ids)
        && partitions.sameAs(that.partitions)
        && Arrays.equals(owners, that.owners);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(ids) + Arrays.hashCode(owners);
  }

  @Override
  public String toString() {
    return shares().toString();
  }

  /** What each member gets of one topic. Most get one range, which takes no builder. */
  private static final class OpenSets {
    private final int[] first;
    private final int[] last;
    private final PartitionSet.@Nullable Builder[] before;
    private final int[] opened;
    private int count;

    OpenSets(int members) {
      first = new int[members];
      last = new int[members];
      before = new PartitionSet.Builder[members];
      opened = new int[members];
      Arrays.fill(first, PartitionIndex.NONE);
    }

    void add(int member, int partition) {
      if (first[member] == PartitionIndex.NONE) {
        first[member] = partition;
        opened[count++] = member;
      } else if (last[member] != partition - 1) {
        PartitionSet.Builder builder = before[member];
        if (builder == null) {
          builder = new PartitionSet.Builder();
          before[member] = builder;
        }
        builder.add(first[member], last[member]);
        first[member] = partition;
      }
      last[member] = partition;
    }

    void close(ObjIntConsumer<PartitionSet> action) {
      for (int i = 0; i < count; i++) {
        int member = opened[i];
        PartitionSet.Builder builder = before[member];
        if (builder == null) {
          action.accept(
              PartitionSet.range(first[member], last[member] - first[member] + 1), member);
        } else {
          builder.add(first[member], last[member]);
          action.accept(builder.build(), member);
          before[member] = null;
        }
        first[member] = PartitionIndex.NONE;
      }
      count = 0;
    }
  }
}
