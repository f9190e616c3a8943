package io.rebalancer.core.assignor.member;

import static io.rebalancer.core.assignor.member.GroupAssignment.NOBODY;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives free partitions to members in a rack of one of their replicas: as many of them as there can
 * be, when it is settled how many each member gets. Partitions whose replicas are in the same racks
 * are alike, and so are members of one rack, so that this is a small maximum flow.
 */
final class RackMatch {

  private static final int NONE = -1;

  private final PartitionIndex partitions;
  private final MemberRacks racks;
  private final Map<Set<String>, Integer> kinds = new HashMap<>();
  private final List<Set<String>> racksOfKind = new ArrayList<>();

  /** Null where no racks are known. */
  static @Nullable RackMatch of(GroupInput group) {
    return group.hasRacks() ? new RackMatch(group) : null;
  }

  private RackMatch(GroupInput group) {
    partitions = group.partitions;
    racks = new MemberRacks(group);
  }

  boolean suits(int member, int place) {
    return racks.near(place, member);
  }

  /**
   * Gives what can be given within its racks; the rest stays free.
   *
   * @param topics whose free partitions to give
   * @param lacking by member how many it is to get; less afterwards by what it got
   */
  void give(int[] topics, int[] owners, int[] lacking) {
    List<ArrayDeque<Integer>> takers = new ArrayList<>();
    int[] room = new int[racks.count()];
    for (int rack = 0; rack < room.length; rack++) {
      takers.add(new ArrayDeque<>());
    }
    for (int m = 0; m < lacking.length; m++) {
      if (lacking[m] > 0) {
        takers.get(racks.of(m)).add(m);
        room[racks.of(m)] += lacking[m];
      }
    }
    List<int[]> flows = flows(topics, owners, room);
    for (int t : topics) {
      for (int place = partitions.starts[t]; place < partitions.starts[t + 1]; place++) {
        if (owners[place] == NOBODY) {
          int[] flow = flows.get(kind(place));
          int rack = 0;
          while (rack < flow.length && flow[rack] == 0) {
            rack++;
          }
          if (rack < flow.length) {
            flow[rack]--;
            int taker = takers.get(rack).remove();
            owners[place] = taker;
            if (--lacking[taker] > 0) {
              takers.get(rack).add(taker);
            }
          }
        }
      }
    }
  }

  private int kind(int place) {
    return kinds.computeIfAbsent(
        racks.racks(place),
        found -> {
          racksOfKind.add(found);
          return racksOfKind.size() - 1;
        });
  }

  /** By kind and rack how many partitions go there: a maximum flow. */
  private List<int[]> flows(int[] topics, int[] owners, int[] room) {
    List<Integer> supply = new ArrayList<>();
    for (int t : topics) {
      for (int place = partitions.starts[t]; place < partitions.starts[t + 1]; place++) {
        if (owners[place] == NOBODY) {
          int kind = kind(place);
          while (supply.size() < racksOfKind.size()) {
            supply.add(0);
          }
          supply.set(kind, supply.get(kind) + 1);
        }
      }
    }
    List<int[]> flows = new ArrayList<>();
    for (Set<String> ignored : racksOfKind) {
      flows.add(new int[room.length]);
    }
    for (int kind = 0; kind < supply.size(); kind++) {
      int left = supply.get(kind);
      while (left > 0) {
        int sent = send(kind, left, flows, room);
        if (sent == 0) {
          break;
        }
        left -= sent;
      }
    }
    return flows;
  }

  /** One augmenting path, the shortest: from a kind to a rack that has room. */
  private int send(int kind, int amount, List<int[]> flows, int[] room) {
    int[] kindBefore = new int[room.length];
    int[] rackBefore = new int[flows.size()];
    Arrays.fill(kindBefore, NONE);
    Arrays.fill(rackBefore, NONE);
    boolean[] seen = new boolean[flows.size()];
    ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(kind));
    seen[kind] = true;
    while (!queue.isEmpty()) {
      int from = queue.remove();
      for (int rack = 0; rack < room.length; rack++) {
        if (kindBefore[rack] != NONE || !racksOfKind.get(from).contains(racks.name(rack))) {
          continue;
        }
        kindBefore[rack] = from;
        if (room[rack] > 0) {
          return carry(kind, rack, amount, flows, room, kindBefore, rackBefore);
        }
        for (int other = 0; other < flows.size(); other++) {
          if (!seen[other] && flows.get(other)[rack] > 0) {
            seen[other] = true;
            rackBefore[other] = rack;
            queue.add(other);
          }
        }
      }
    }
    return 0;
  }

  private static int carry(
      int kind,
      int rack,
      int amount,
      List<int[]> flows,
      int[] room,
      int[] kindBefore,
      int[] rackBefore) {
    int sent = Math.min(amount, room[rack]);
    for (int at = kindBefore[rack]; at != kind; at = kindBefore[rackBefore[at]]) {
      sent = Math.min(sent, flows.get(at)[rackBefore[at]]);
    }
    room[rack] -= sent;
    int to = rack;
    while (true) {
      int at = kindBefore[to];
      flows.get(at)[to] += sent;
      if (at == kind) {
        return sent;
      }
      to = rackBefore[at];
      flows.get(at)[to] -= sent;
    }
  }
}
