package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;

/**
 * Numbers the partitions of all known topics one after the other, topics in the order of their
 * names: what is known of each partition fits an array.
 */
final class PartitionIndex {

  static final int NONE = -1;

  /** The longest array there can be. */
  private static final int MOST = Integer.MAX_VALUE - 8;

  final String[] names;
  final PartitionSet[] sets;

  /** For each topic the place of its first partition; at the end the number of all. */
  final int[] starts;

  private final Map<String, Integer> byName = new HashMap<>();

  /** For each topic with gaps how many partitions are before each of its ranges; else empty. */
  private final int[][] before;

  PartitionIndex(Map<String, PartitionSet> topics) {
    SortedMap<String, PartitionSet> sorted = new TreeMap<>(topics);
    names = sorted.keySet().toArray(String[]::new);
    sets = sorted.values().toArray(PartitionSet[]::new);
    starts = new int[names.length + 1];
    before = new int[names.length][];
    for (int t = 0; t < names.length; t++) {
      byName.put(names[t], t);
      int size = sets[t].size();
      if (size > MOST - starts[t]) {
        throw new IllegalArgumentException(
            "topic %s: %d partitions beside %d of other topics (expected: at most %d in all)"
                .formatted(names[t], size, starts[t], MOST));
      }
      starts[t + 1] = starts[t] + size;
      before[t] = before(sets[t]);
    }
  }

  private static int[] before(PartitionSet set) {
    if (set.ranges() < 2) {
      return new int[0];
    }
    int[] before = new int[set.ranges()];
    for (int range = 1; range < before.length; range++) {
      before[range] = before[range - 1] + set.last(range - 1) - set.first(range - 1) + 1;
    }
    return before;
  }

  int topics() {
    return names.length;
  }

  int size() {
    return starts[names.length];
  }

  int size(int topic) {
    return starts[topic + 1] - starts[topic];
  }

  /** The topic's place in the order of names, or {@link #NONE}. */
  int topic(String name) {
    return byName.getOrDefault(name, NONE);
  }

  /** The place of a partition, or {@link #NONE}. */
  int place(int topic, int partition) {
    PartitionSet set = sets[topic];
    int low = 0;
    int high = set.ranges() - 1;
    while (low <= high) {
      int range = (low + high) >>> 1;
      if (partition < set.first(range)) {
        high = range - 1;
      } else if (partition > set.last(range)) {
        low = range + 1;
      } else {
        int skipped = range == 0 ? 0 : before[topic][range];
        return starts[topic] + skipped + partition - set.first(range);
      }
    }
    return NONE;
  }

  /**
   * The places of those of the numbers that the topic has; takes no longer for more than it has.
   */
  void forEachPlace(int topic, PartitionSet numbers, IntConsumer action) {
    PartitionSet found = numbers.size() > size(topic) ? numbers.and(sets[topic]) : numbers;
    for (int range = 0; range < found.ranges(); range++) {
      for (int p = found.first(range); p <= found.last(range); p++) {
        int place = place(topic, p);
        if (place != NONE) {
          action.accept(place);
        }
      }
    }
  }

  /** The number of the partition at a place of a topic. */
  int partition(int topic, int place) {
    int index = place - starts[topic];
    int range = 0;
    int skipped = 0;
    if (before[topic].length > 0) {
      int found = Arrays.binarySearch(before[topic], index);
      range = found >= 0 ? found : -found - 2;
      skipped = before[topic][range];
    }
    return sets[topic].first(range) + index - skipped;
  }

  /** The topic that a place is of. */
  int topicAt(int place) {
    int found = Arrays.binarySearch(starts, place);
    int topic = found >= 0 ? found : -found - 2;
    while (starts[topic + 1] == place) {
      topic++; // Topics without partitions start where the next one does.
    }
    return topic;
  }

  boolean sameAs(PartitionIndex other) {
    return this == other || (Arrays.equals(names, other.names) && Arrays.equals(sets, other.sets));
  }

  SortedMap<String, PartitionSet> toMap() {
    SortedMap<String, PartitionSet> map = new TreeMap<>();
    for (int t = 0; t < names.length; t++) {
      map.put(names[t], sets[t]);
    }
    return Collections.unmodifiableSortedMap(map);
  }
}
