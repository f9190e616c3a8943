package io.rebalancer.core.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The topics a member wants, each with its number of streams (threads). Empty is legal: such a
 * member owns nothing and still takes part in rebalances.
 */
public record Subscription(SortedMap<String, Integer> streams) implements TopicSelection {

  /** Throws {@link IllegalArgumentException} for a stream count below 1. */
  public Subscription {
    streams = Collections.unmodifiableSortedMap(new TreeMap<>(streams));
    streams.forEach(
        (topic, count) -> {
          if (count < 1) {
            throw new IllegalArgumentException(
                "streams of topic " + topic + ": " + count + " (expected: >= 1)");
          }
        });
  }

  public static Subscription copyOf(Map<String, Integer> streams) {
    return new Subscription(new TreeMap<>(streams));
  }

  public boolean includes(String topic) {
    return streams.containsKey(topic);
  }

  /** The threads of {@code member} that consume {@code topic}, by number. */
  public Stream<ThreadId> threads(MemberId member, String topic) {
    return IntStream.range(0, streams.getOrDefault(topic, 0))
        .mapToObj(number -> new ThreadId(member, number));
  }
}
