package io.rebalancer.core.assignor.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Topics that the same members subscribe to have one audience: what is known of those who may take
 * a partition is kept once for all of them. Where all subscribe alike there is one.
 */
final class Audiences {

  static final int NONE = -1;

  /** By topic; {@link #NONE} where nobody subscribes. */
  final int[] ofTopic;

  /** For each audience its members, ascending. */
  final int[][] members;

  /** For each member which of the different subscriptions it has. */
  private final int[] kinds;

  /** For each kind of subscription the audiences it belongs to, ascending. */
  private final int[][] ofKind;

  private Audiences(int[] ofTopic, int[][] members, int[] kinds, int[][] ofKind) {
    this.ofTopic = ofTopic;
    this.members = members;
    this.kinds = kinds;
    this.ofKind = ofKind;
  }

  static Audiences of(GroupInput group) {
    Subscribers subscribers = Subscribers.of(group);
    int[] kinds = subscribers.classOf;
    int[] ofTopic = new int[group.partitions.topics()];
    Map<int[], Integer> audiences = new TreeMap<>(Arrays::compare);
    List<int[]> kindsOfAudience = new ArrayList<>();
    for (int t = 0; t < ofTopic.length; t++) {
      ofTopic[t] = NONE;
      int[] kindsOfTopic = subscribers.classesOf(t);
      if (kindsOfTopic.length > 0) {
        Integer found = audiences.putIfAbsent(kindsOfTopic, kindsOfAudience.size());
        ofTopic[t] = found == null ? kindsOfAudience.size() : found;
        if (found == null) {
          kindsOfAudience.add(kindsOfTopic);
        }
      }
    }
    int[][] ofKind = transposed(kindsOfAudience, subscribers.members.length);
    return new Audiences(ofTopic, members(kinds, ofKind, kindsOfAudience), kinds, ofKind);
  }

  private static int[][] members(int[] kinds, int[][] ofKind, List<int[]> kindsOfAudience) {
    int[] sizes = new int[kindsOfAudience.size()];
    for (int kind : kinds) {
      for (int audience : ofKind[kind]) {
        sizes[audience]++;
      }
    }
    int[][] members = new int[sizes.length][];
    Arrays.setAll(members, audience -> new int[sizes[audience]]);
    int[] next = new int[sizes.length];
    for (int m = 0; m < kinds.length; m++) {
      for (int audience : ofKind[kinds[m]]) {
        members[audience][next[audience]++] = m;
      }
    }
    return members;
  }

  /** For each of {@code columns} numbers the rows that it is in, ascending. */
  private static int[][] transposed(List<int[]> rows, int columns) {
    int[] sizes = new int[columns];
    rows.forEach(row -> Arrays.stream(row).forEach(column -> sizes[column]++));
    int[][] transposed = new int[columns][];
    Arrays.setAll(transposed, column -> new int[sizes[column]]);
    int[] next = new int[columns];
    for (int row = 0; row < rows.size(); row++) {
      for (int column : rows.get(row)) {
        transposed[column][next[column]++] = row;
      }
    }
    return transposed;
  }

  int count() {
    return members.length;
  }

  /** The audiences that a member is in, ascending. */
  int[] of(int member) {
    return ofKind[kinds[member]];
  }

  /** Those that have the fewest to choose from first. */
  int[] smallestFirst() {
    return IntStream.range(0, members.length)
        .mapToLong(audience -> ((long) members[audience].length << 32) | audience)
        .sorted()
        .mapToInt(key -> (int) key)
        .toArray();
  }
}
