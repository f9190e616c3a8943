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

  /** Partitions whose replicas are in the same racks are of one kind. */
  private final Map<Set<String>, Integer> kinds = new HashMap<>();

  /** For each kind the racks that it suits and members are in, ascending. */
  private final List<int[]> racksOf = new ArrayList<>();

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
    Flow flow = new Flow(supply(topics, owners), racksOf, room);
    for (int t : topics) {
      for (int place = partitions.starts[t]; place < partitions.starts[t + 1]; place++) {
        int rack = owners[place] == NOBODY ? flow.take(kind(place)) : NONE;
        if (rack != NONE) {
          int taker = takers.get(rack).remove();
          owners[place] = taker;
          if (--lacking[taker] > 0) {
            takers.get(rack).add(taker);
          }
        }
      }
    }
  }

  /** How many are free of each kind. */
  private int[] supply(int[] topics, int[] owners) {
    int[] supply = new int[racksOf.size()];
    for (int t : topics) {
      for (int place = partitions.starts[t]; place < partitions.starts[t + 1]; place++) {
        if (owners[place] == NOBODY) {
          int kind = kind(place);
          if (kind >= supply.length) {
            supply = Arrays.copyOf(supply, 2 * kind + 1);
          }
          supply[kind]++;
        }
      }
    }
    return Arrays.copyOf(supply, racksOf.size());
  }

  private int kind(int place) {
    return kinds.computeIfAbsent(
        racks.racks(place),
        names -> {
          racksOf.add(racks.among(names));
          return racksOf.size() - 1;
        });
  }

  /** How many of each kind go to each rack: a maximum flow, by shortest augmenting paths. */
  private static final class Flow {
    private final List<int[]> racksOf;
    private final int[] room;

    /** By kind and position among its racks. */
    private final int[][] sent;

    private final List<List<Integer>> kindsOf = new ArrayList<>();

    /** By which kind a rack and by which rack a kind was reached in the search of that number. */
    private final int[] kindBefore;

    private final int[] rackBefore;
    private final int[] rackSeen;
    private final int[] kindSeen;
    private int search;

    Flow(int[] supply, List<int[]> racksOf, int[] room) {
      this.racksOf = racksOf;
      this.room = room;
      sent = new int[supply.length][];
      kindBefore = new int[room.length];
      rackSeen = new int[room.length];
      rackBefore = new int[supply.length];
      kindSeen = new int[supply.length];
      for (int rack = 0; rack < room.length; rack++) {
        kindsOf.add(new ArrayList<>());
      }
      for (int kind = 0; kind < supply.length; kind++) {
        sent[kind] = new int[racksOf.get(kind).length];
        if (supply[kind] > 0) {
          for (int rack : racksOf.get(kind)) {
            kindsOf.get(rack).add(kind);
          }
        }
      }
      for (int kind = 0; kind < supply.length; kind++) {
        int left = supply[kind];
        int more = left;
        while (left > 0 && more > 0) {
          more = send(kind, left);
          left -= more;
        }
      }
    }

    /** One of a kind to one of its racks, or {@link #NONE}. */
    int take(int kind) {
      for (int i = 0; i < sent[kind].length; i++) {
        if (sent[kind][i] > 0) {
          sent[kind][i]--;
          return racksOf.get(kind)[i];
        }
      }
      return NONE;
    }

    private int send(int from, int amount) {
      search++;
      ArrayDeque<Integer> queue = new ArrayDeque<>(List.of(from));
      kindSeen[from] = search;
      while (!queue.isEmpty()) {
        int kind = queue.remove();
        for (int rack : racksOf.get(kind)) {
          if (rackSeen[rack] == search) {
            continue;
          }
          rackSeen[rack] = search;
          kindBefore[rack] = kind;
          if (room[rack] > 0) {
            return carry(from, rack, amount);
          }
          for (int other : kindsOf.get(rack)) {
            if (kindSeen[other] != search && sent[other][position(other, rack)] > 0) {
              kindSeen[other] = search;
              rackBefore[other] = rack;
              queue.add(other);
            }
          }
        }
      }
      return 0;
    }

    private int carry(int from, int last, int amount) {
      int carried = Math.min(amount, room[last]);
      for (int kind = kindBefore[last]; kind != from; kind = kindBefore[rackBefore[kind]]) {
        carried = Math.min(carried, sent[kind][position(kind, rackBefore[kind])]);
      }
      room[last] -= carried;
      int rack = last;
      while (true) {
        int kind = kindBefore[rack];
        sent[kind][position(kind, rack)] += carried;
        if (kind == from) {
          return carried;
        }
        rack = rackBefore[kind];
        sent[kind][position(kind, rack)] -= carried;
      }
    }

    private int position(int kind, int rack) {
      return Arrays.binarySearch(racksOf.get(kind), rack);
    }
  }
}
