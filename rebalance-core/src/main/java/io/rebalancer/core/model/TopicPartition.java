package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

/** One partition of a topic. Ordered by topic, then by number. */
public record TopicPartition(String topic, int partition) implements Comparable<TopicPartition> {

  public TopicPartition {
    requireNonNull(topic, "topic");
    if (partition < 0) {
      throw new IllegalArgumentException("partition: " + partition + " (expected: >= 0)");
    }
  }

  @Override
  public int compareTo(TopicPartition other) {
    int byTopic = topic.compareTo(other.topic);
    return byTopic != 0 ? byTopic : Integer.compare(partition, other.partition);
  }

  @Override
  public String toString() {
    return topic + "-" + partition;
  }
}
