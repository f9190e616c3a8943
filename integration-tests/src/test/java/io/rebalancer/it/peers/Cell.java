package io.rebalancer.it.peers;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor.Release;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One way of running a group.
 *
 * @param strategy {@code range} or {@code roundrobin}
 * @param filter whether members subscribe by a white list that matches the same topics
 * @param streams of each member, for each topic
 */
record Cell(PeerRelease release, String strategy, boolean filter, int streams) {

  static final Map<String, Integer> TOPICS = Map.of("t", 16, "u", 16);

  private static final TopicFilter BOTH = TopicFilter.whiteList("t|u");

  /** All 24. */
  static Stream<Cell> all() {
    return Stream.of(PeerRelease.values())
        .flatMap(
            release ->
                Stream.of("range", "roundrobin")
                    .flatMap(
                        strategy ->
                            Stream.of(false, true)
                                .flatMap(
                                    filter ->
                                        IntStream.rangeClosed(1, 3)
                                            .mapToObj(
                                                streams ->
                                                    new Cell(
                                                        release, strategy, filter, streams)))));
  }

  /** What each member asks for. */
  TopicSelection selection() {
    return filter ? new WildcardSubscription(BOTH, streams) : subscription();
  }

  /** What that comes to. */
  Subscription subscription() {
    return Subscription.copyOf(Map.of("t", streams, "u", streams));
  }

  PartitionAssignor assignor() {
    return strategy.equals("range")
        ? new RangeAssignor()
        : new RoundRobinAssignor(release == PeerRelease.V1_1_1 ? Release.V1_0 : Release.V0_8_2);
  }

  /** Fit for a znode's name. */
  String name() {
    return String.join(
        "-",
        "kafka",
        release.toString(),
        strategy,
        filter ? "white_list" : "static",
        Integer.toString(streams));
  }

  @Override
  public String toString() {
    return name();
  }
}
