package io.rebalancer.core.assignor.member;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * How many partitions of each topic each member gets when all subscribe to the same topics: loads
 * that differ by one at most, the larger ones with those that own most already, so that as much as
 * possible stays.
 */
final class EvenCounts {

  private EvenCounts() {}

  /** By topic and subscriber. */
  static int[][] of(Claims claims) {
    int[][] counts = claims.ownedCounts();
    int members = claims.members.length;
    if (members == 0) {
      return counts;
    }
    int[] lacking = quotas(claims);
    for (int m = 0; m < members; m++) {
      lacking[m] -= claims.loads[m];
    }
    release(counts, lacking);
    spread(claims, counts, lacking);
    return counts;
  }

  private static int[] quotas(Claims claims) {
    int members = claims.members.length;
    int all = 0;
    for (int t = 0; t < claims.topics.length; t++) {
      all += claims.subscribers[t].length == 0 ? 0 : claims.partitions[t].size();
    }
    int each = all / members;
    int larger = all % members;
    int[] quotas = new int[members];
    int[] byLoad =
        IntStream.range(0, members)
            .boxed()
            .sorted(Comparator.comparing((Integer m) -> -claims.loads[m]))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int i = 0; i < members; i++) {
      quotas[byLoad[i]] = each + (i < larger ? 1 : 0);
    }
    return quotas;
  }

  /** Members that own too much let go of the topics they own most of, one partition at a time. */
  private static void release(int[][] counts, int[] lacking) {
    for (int m = 0; m < lacking.length; m++) {
      while (lacking[m] < 0) {
        int most = 0;
        for (int t = 1; t < counts.length; t++) {
          if (counts[t].length > 0
              && (counts[most].length == 0 || counts[t][m] > counts[most][m])) {
            most = t;
          }
        }
        counts[most][m]--;
        lacking[m]++;
      }
    }
  }

  /** Each topic in turn over all that still lack some. */
  private static void spread(Claims claims, int[][] counts, int[] lacking) {
    int next = 0;
    for (int t = 0; t < counts.length; t++) {
      if (counts[t].length == 0) {
        continue;
      }
      int free = claims.partitions[t].size() - IntStream.of(counts[t]).sum();
      while (free > 0) {
        int takers = 0;
        for (int lacks : lacking) {
          takers += lacks > 0 ? 1 : 0;
        }
        int portion = Math.max(1, free / takers);
        for (int i = 0; i < lacking.length && free > 0; i++) {
          int m = (next + i) % lacking.length;
          int taken = Math.min(portion, Math.min(lacking[m], free));
          counts[t][m] += taken;
          lacking[m] -= taken;
          free -= taken;
          if (free == 0) {
            next = (m + 1) % lacking.length;
          }
        }
      }
    }
  }
}
