package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Turns numbers into partitions: everybody keeps of each topic as many of its partitions as it may,
 * the lowest ones, and the rest goes to those who get more than they have, in order.
 */
final class Deal {

  private Deal() {}

  static SortedMap<MemberId, Assignment> of(Claims claims, int[][] counts) {
    List<SortedMap<String, PartitionSet>> shares = new ArrayList<>();
    for (int m = 0; m < claims.members.length; m++) {
      shares.add(new TreeMap<>());
    }
    for (int t = 0; t < claims.topics.length; t++) {
      deal(claims, t, counts[t], shares);
    }
    SortedMap<MemberId, Assignment> result = new TreeMap<>();
    for (int m = 0; m < claims.members.length; m++) {
      result.put(claims.ids[m], new Assignment(shares.get(m)));
    }
    return Collections.unmodifiableSortedMap(result);
  }

  private static void deal(
      Claims claims, int t, int[] counts, List<SortedMap<String, PartitionSet>> shares) {
    int[] subscribers = claims.subscribers[t];
    if (subscribers.length == 0) {
      return;
    }
    int[] place = new int[claims.members.length];
    for (int j = 0; j < subscribers.length; j++) {
      place[subscribers[j]] = j;
    }
    int[] owners = claims.owners[t];
    int[] left = counts.clone();
    PartitionSet all = claims.partitions[t];
    for (int range = 0; range < all.ranges(); range++) {
      for (int p = all.first(range); p <= all.last(range); p++) {
        if (owners[p] != Claims.NOBODY) {
          int j = place[owners[p]];
          if (left[j] > 0) {
            left[j]--;
          } else {
            owners[p] = Claims.NOBODY;
          }
        }
      }
    }
    PartitionSet.Builder[] sets = new PartitionSet.Builder[subscribers.length];
    int taker = 0;
    for (int range = 0; range < all.ranges(); range++) {
      for (int p = all.first(range); p <= all.last(range); p++) {
        int j;
        if (owners[p] == Claims.NOBODY) {
          while (left[taker] == 0) {
            taker++;
          }
          j = taker;
          left[j]--;
        } else {
          j = place[owners[p]];
        }
        if (sets[j] == null) {
          sets[j] = new PartitionSet.Builder();
        }
        sets[j].add(p, p);
      }
    }
    for (int j = 0; j < subscribers.length; j++) {
      if (sets[j] != null) {
        shares.get(subscribers[j]).put(claims.topics[t], sets[j].build());
      }
    }
  }
}
