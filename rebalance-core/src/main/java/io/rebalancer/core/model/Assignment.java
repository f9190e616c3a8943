package io.rebalancer.core.model;

import static java.util.stream.Collectors.joining;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which partitions one member (or one thread) owns: per topic a sorted, compact set. Topics without
 * partitions do not appear.
 */
public record Assignment(SortedMap<String, PartitionSet> topics) {

  private static final Assignment EMPTY = new Assignment(Collections.emptySortedMap());

  public Assignment {
    SortedMap<String, PartitionSet> copy = new TreeMap<>(topics);
    copy.values().removeIf(PartitionSet::isEmpty);
    topics = Collections.unmodifiableSortedMap(copy);
  }

  public static Assignment empty() {
    return EMPTY;
  }

  public static Assignment of(String topic, PartitionSet partitions) {
    return copyOf(Map.of(topic, partitions));
  }

  public static Assignment copyOf(Map<String, PartitionSet> topics) {
    return new Assignment(new TreeMap<>(topics));
  }

  public static Assignment ofPartitions(Collection<TopicPartition> partitions) {
    SortedMap<String, TreeSet<Integer>> numbers = new TreeMap<>();
    for (TopicPartition p : partitions) {
      numbers.computeIfAbsent(p.topic(), topic -> new TreeSet<>()).add(p.partition());
    }
    SortedMap<String, PartitionSet> sets = new TreeMap<>();
    numbers.forEach((topic, set) -> sets.put(topic, PartitionSet.copyOf(set)));
    return new Assignment(sets);
  }

  public PartitionSet partitions(String topic) {
    return topics.getOrDefault(topic, PartitionSet.empty());
  }

  public boolean isEmpty() {
    return topics.isEmpty();
  }

  /** The number of partitions over all topics. */
  public int size() {
    return topics.values().stream().mapToInt(PartitionSet::size).sum();
  }

  public boolean contains(TopicPartition partition) {
    return partitions(partition.topic()).contains(partition.partition());
  }

  public Assignment plus(Assignment other) {
    SortedMap<String, PartitionSet> sum = new TreeMap<>(topics);
    other.topics.forEach((topic, set) -> sum.merge(topic, set, PartitionSet::plus));
    return new Assignment(sum);
  }

  public Assignment minus(Assignment other) {
    SortedMap<String, PartitionSet> rest = new TreeMap<>();
    topics.forEach((topic, set) -> rest.put(topic, set.minus(other.partitions(topic))));
    return new Assignment(rest);
  }

  public Assignment and(Assignment other) {
    SortedMap<String, PartitionSet> both = new TreeMap<>();
    topics.forEach((topic, set) -> both.put(topic, set.and(other.partitions(topic))));
    return new Assignment(both);
  }

  /** By topic, then ascending. */
  public Stream<TopicPartition> stream() {
    return topics.entrySet().stream()
        .flatMap(
            e -> e.getValue().stream().mapToObj(number -> new TopicPartition(e.getKey(), number)));
  }

  /** {@code t:0-3,7 u:1}; the empty assignment is {@code -}. */
  @Override
  public String toString() {
    if (isEmpty()) {
      return "-";
    }
    return topics.entrySet().stream()
        .map(e -> e.getKey() + ":" + e.getValue())
        .collect(joining(" "));
  }
}
