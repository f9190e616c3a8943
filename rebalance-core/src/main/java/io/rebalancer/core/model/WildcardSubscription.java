package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Every topic that a filter lets through, each with the same number of streams.
 *
 * @param streams of each topic, >= 1
 */
public record WildcardSubscription(TopicFilter filter, int streams) implements TopicSelection {

  public WildcardSubscription {
    requireNonNull(filter, "filter");
    if (streams < 1) {
      throw new IllegalArgumentException(
          "streams of " + filter.regex() + ": " + streams + " (expected: >= 1)");
    }
  }

  /** What it comes to as long as there are just these {@code topics}. */
  public Subscription among(Collection<String> topics, Set<String> excluded) {
    SortedMap<String, Integer> matching = new TreeMap<>();
    for (String topic : topics) {
      if (filter.allows(topic, excluded)) {
        matching.put(topic, streams);
      }
    }
    return new Subscription(matching);
  }
}
