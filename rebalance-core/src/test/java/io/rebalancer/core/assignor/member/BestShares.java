package io.rebalancer.core.assignor.member;

import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The best that any assignment of a group can be, computed apart from the assignors: loads with the
 * least sum of squares, and of those the most partitions that stay where they are.
 *
 * <p>It is a flow of partitions from topics by way of members into one sink. A partition that stays
 * earns 1; the n-th one of a member costs 2n-1 times more than all that can be earned. Such a flow
 * is the best exactly if no cycle of what could be sent back and sent otherwise costs less than
 * nothing (Klein 1967); sending one partition after the other on the cheapest path finds one
 * (Busacker and Gowen 1960).
 */
final class BestShares {

  /** What an assignment comes to. */
  record Worth(long squares, int moves) {}

  private final GroupInput group;
  private final List<String> topics;
  private final List<MemberId> members;
  private final Map<String, Integer> topicPlaces = new HashMap<>();
  private final Map<MemberId, Integer> memberPlaces = new HashMap<>();
  private final boolean[][] subscribed;
  private final int[][] owned;
  private final int sink;
  private final long unit;

  /**
   * @param owners who has what, also those who are gone or do not subscribe
   */
  BestShares(GroupInput group, Map<TopicPartition, MemberId> owners) {
    this.group = group;
    this.topics = List.copyOf(group.topics().keySet());
    this.members = group.members().stream().map(Member::id).toList();
    this.subscribed = new boolean[topics.size()][members.size()];
    this.sink = topics.size() + members.size();
    this.unit = 1 + group.topics().values().stream().mapToLong(set -> set.size()).sum();
    topics.forEach(topic -> topicPlaces.put(topic, topicPlaces.size()));
    for (int m = 0; m < members.size(); m++) {
      memberPlaces.put(members.get(m), m);
      for (int t = 0; t < topics.size(); t++) {
        subscribed[t][m] = group.members().get(m).topics().contains(topics.get(t));
      }
    }
    this.owned = counted(owners);
  }

  /** By topic and member, without what cannot stay. */
  private int[][] counted(Map<TopicPartition, MemberId> owners) {
    int[][] counts = new int[topics.size()][members.size()];
    Map<String, PartitionSet> known = group.topics();
    owners.forEach(
        (partition, owner) -> {
          int t = topicPlaces.getOrDefault(partition.topic(), -1);
          int m = memberPlaces.getOrDefault(owner, -1);
          if (t >= 0
              && m >= 0
              && subscribed[t][m]
              && known.get(partition.topic()).contains(partition.partition())) {
            counts[t][m]++;
          }
        });
    return counts;
  }

  int[] ownedByMember() {
    return loads(owned);
  }

  Worth worth(Map<TopicPartition, MemberId> given) {
    return worth(counted(given));
  }

  private Worth worth(int[][] given) {
    int moves = 0;
    for (int t = 0; t < topics.size(); t++) {
      for (int m = 0; m < members.size(); m++) {
        moves += Math.max(0, owned[t][m] - given[t][m]);
      }
    }
    return new Worth(Arrays.stream(loads(given)).mapToLong(n -> (long) n * n).sum(), moves);
  }

  private int[] loads(int[][] given) {
    int[] loads = new int[members.size()];
    for (int[] ofTopic : given) {
      for (int m = 0; m < loads.length; m++) {
        loads[m] += ofTopic[m];
      }
    }
    return loads;
  }

  /** Whether no assignment is better balanced, or as well and with fewer moves. */
  boolean isBest(Map<TopicPartition, MemberId> given) {
    int[][] flow = counted(given);
    Paths paths = new Paths(flow);
    for (int round = 0; round <= sink + 1; round++) {
      if (!paths.relax()) {
        return true;
      }
    }
    return false;
  }

  /** Only for small groups. */
  Worth best() {
    int[][] flow = new int[topics.size()][members.size()];
    for (int t = 0; t < topics.size(); t++) {
      if (any(subscribed[t])) {
        for (int left = group.topics().get(topics.get(t)).size(); left > 0; left--) {
          Paths paths = new Paths(flow);
          paths.startAt(t);
          while (paths.relax()) {}
          paths.sendOneFrom(t);
        }
      }
    }
    return worth(flow);
  }

  private static boolean any(boolean[] flags) {
    for (boolean flag : flags) {
      if (flag) {
        return true;
      }
    }
    return false;
  }

  /** Cheapest paths in what is left of the flow's edges (Bellman and Ford). */
  private final class Paths {
    private static final long FAR = Long.MAX_VALUE / 4;

    private final int[][] flow;
    private final int[] loads;
    private final long[] cost = new long[sink + 1];
    private final int[] from = new int[sink + 1];

    Paths(int[][] flow) {
      this.flow = flow;
      this.loads = loads(flow);
    }

    void startAt(int topic) {
      Arrays.fill(cost, FAR);
      cost[topic] = 0;
    }

    /** One round through all edges; whether any path became cheaper. */
    boolean relax() {
      boolean cheaper = false;
      for (int m = 0; m < members.size(); m++) {
        int member = topics.size() + m;
        for (int t = 0; t < topics.size(); t++) {
          if (subscribed[t][m]) {
            cheaper |= edge(t, member, flow[t][m] < owned[t][m] ? -1 : 0);
          }
          if (flow[t][m] > 0) {
            cheaper |= edge(member, t, flow[t][m] <= owned[t][m] ? 1 : 0);
          }
        }
        cheaper |= edge(member, sink, unit * (2L * loads[m] + 1));
        if (loads[m] > 0) {
          cheaper |= edge(sink, member, -unit * (2L * loads[m] - 1));
        }
      }
      return cheaper;
    }

    private boolean edge(int tail, int head, long price) {
      if (cost[tail] == FAR || cost[tail] + price >= cost[head]) {
        return false;
      }
      cost[head] = cost[tail] + price;
      from[head] = tail;
      return true;
    }

    /** One partition more along the cheapest path to the sink. */
    void sendOneFrom(int topic) {
      int node = sink;
      while (node != topic) {
        int tail = from[node];
        if (tail < topics.size()) {
          flow[tail][node - topics.size()]++;
        } else if (node < topics.size()) {
          flow[node][tail - topics.size()]--;
        }
        node = tail;
      }
    }
  }
}
