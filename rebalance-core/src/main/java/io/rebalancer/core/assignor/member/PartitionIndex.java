package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.PartitionSet;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Numbers the partitions of all known topics one after the other, topics in the order of their
 * names: what is known of each partition fits an array.
 */
final class PartitionIndex {

  static final int NONE = -1;

  final String[] names;
  final PartitionSet[] sets;

  /** For each topic the place of its first partition; at the end the number of all. */
  final int[] starts;

  private final Map<String, Integer> byName = new HashMap<>();

  PartitionIndex(Map<String, PartitionSet> topics) {
    SortedMap<String, PartitionSet> sorted = new TreeMap<>(topics);
    names = sorted.keySet().toArray(String[]::new);
    sets = sorted.values().toArray(PartitionSet[]::new);
    starts = new int[names.length + 1];
    for (int t = 0; t < names.length; t++) {
      byName.put(names[t], t);
      int size = sets[t].size();
      if (size > Integer.MAX_VALUE - starts[t]) {
        throw new IllegalArgumentException(
            "topic %s: %d partitions beside %d of other topics (expected: an int in all)"
                .formatted(names[t], size, starts[t]));
      }
      starts[t + 1] = starts[t] + size;
    }
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
    int index = sets[topic].indexOf(partition);
    return index < 0 ? NONE : starts[topic] + index;
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

  SortedMap<String, PartitionSet> toMap() {
    SortedMap<String, PartitionSet> map = new TreeMap<>();
    for (int t = 0; t < names.length; t++) {
      map.put(names[t], sets[t]);
    }
    return Collections.unmodifiableSortedMap(map);
  }
}
