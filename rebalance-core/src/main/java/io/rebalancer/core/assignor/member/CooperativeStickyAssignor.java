package io.rebalancer.core.assignor.member;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * As {@link StickyAssignor}, in two rounds: a partition that changes hands is given to nobody in
 * the round in which its owner loses it, and in the next, when that owner has let go, to the new
 * one (KIP-429).
 *
 * <p>Whoever says that it owns a partition may be processing it, whether or not it is believed:
 * only a claim of an older generation than the new owner's own does not hold it up.
 */
public final class CooperativeStickyAssignor implements MemberAssignor {

  private final StickyAssignor sticky = new StickyAssignor();

  @Override
  public String name() {
    return "cooperative-sticky";
  }

  @Override
  public SortedMap<MemberId, Assignment> assign(GroupInput group) {
    SortedMap<MemberId, Assignment> result = new TreeMap<>();
    SortedMap<MemberId, Assignment> goal = sticky.assign(group);
    Held held = new Held(group);
    goal.forEach((id, share) -> result.put(id, held.without(id, share)));
    return Collections.unmodifiableSortedMap(result);
  }

  /** Who says that it owns what: for each partition by number the claim of the last generation. */
  private static final class Held {

    private static final int NOBODY = -1;

    private final Map<String, int[]> owners = new TreeMap<>();
    private final Map<String, int[]> generations = new TreeMap<>();

    /** Partitions that several claim in the highest generation there is of them. */
    private final Map<String, PartitionSet> contested = new TreeMap<>();

    private final Map<MemberId, Integer> places = new TreeMap<>();

    Held(GroupInput group) {
      group.members().keySet().forEach(id -> places.put(id, places.size()));
      group.members().values().stream()
          .sorted(Comparator.comparing(member -> -(long) member.generation()))
          .forEach(member -> claim(group, member));
    }

    private void claim(GroupInput group, Member member) {
      int place = places.getOrDefault(member.id(), NOBODY);
      member
          .owned()
          .topics()
          .forEach(
              (topic, set) ->
                  claim(topic, set.and(known(group, topic)), place, member.generation()));
    }

    private static PartitionSet known(GroupInput group, String topic) {
      return group.topics().getOrDefault(topic, PartitionSet.empty());
    }

    private void claim(String topic, PartitionSet claimed, int place, int generation) {
      if (claimed.isEmpty()) {
        return;
      }
      int size = claimed.last(claimed.ranges() - 1) + 1;
      int[] by = grown(owners, topic, size);
      int[] in = grown(generations, topic, size);
      PartitionSet.Builder twice = new PartitionSet.Builder();
      claimed.forEach(
          p -> {
            if (by[p] == NOBODY) {
              by[p] = place;
              in[p] = generation;
            } else if (in[p] == generation) {
              twice.add(p, p);
            }
          });
      contested.merge(topic, twice.build(), PartitionSet::plus);
    }

    private static int[] grown(Map<String, int[]> arrays, String topic, int size) {
      int[] array = arrays.getOrDefault(topic, new int[0]);
      if (array.length < size) {
        int[] larger = new int[size];
        Arrays.fill(larger, NOBODY);
        System.arraycopy(array, 0, larger, 0, array.length);
        arrays.put(topic, larger);
        return larger;
      }
      return array;
    }

    /** Without what others have to let go of first. */
    Assignment without(MemberId member, Assignment share) {
      int place = places.getOrDefault(member, NOBODY);
      SortedMap<String, PartitionSet> given = new TreeMap<>();
      share
          .topics()
          .forEach(
              (topic, set) -> {
                int[] by = owners.getOrDefault(topic, new int[0]);
                PartitionSet.Builder free = new PartitionSet.Builder();
                set.forEach(
                    p -> {
                      if (p >= by.length || by[p] == NOBODY || by[p] == place) {
                        free.add(p, p);
                      }
                    });
                given.put(
                    topic, free.build().minus(contested.getOrDefault(topic, PartitionSet.empty())));
              });
      return new Assignment(given);
    }
  }
}
