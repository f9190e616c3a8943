package io.rebalancer.it.peers;

import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor.Release;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Topics whose names have equal hash codes, dealt round robin: which comes first is decided by how
 * many Scala hash maps the original passes them through, and ours have to know.
 */
class HashTiesIT {

  private static final List<String> PAIR = List.of("Aa", "BB");
  private static final List<String> FOUR = List.of("AaAa", "AaBB", "BBAa", "BBBB");

  /** More than four, so that they are no longer in the order of the registration. */
  private static final List<String> SIX = List.of("Aa", "BB", "t", "u", "v", "w");

  /** More than twelve, so that the map's table has grown. */
  private static final List<String> FOURTEEN =
      IntStream.range(0, 14).mapToObj(i -> (i % 2 == 0 ? "Aa" : "BB") + i / 2).toList();

  private static SharedGroup shared;

  @BeforeAll
  static void start() {
    shared = new SharedGroup();
  }

  @AfterAll
  static void stop() {
    shared.close();
  }

  @TestFactory
  Stream<DynamicTest> twoOfKafkaAndOneOfOursDealTiesAlike() {
    return tests(List.of(FOURTEEN), false);
  }

  @TestFactory
  @Tag("real")
  Stream<DynamicTest> theyDealTiesAlikeWhateverTheNumberOfTopics() {
    return Stream.concat(
        tests(List.of(PAIR, FOUR, SIX), false), tests(List.of(PAIR, FOUR, SIX, FOURTEEN), true));
  }

  private static Stream<DynamicTest> tests(List<List<String>> sets, boolean filter) {
    Map<String, Callable<Void>> runs = new LinkedHashMap<>();
    for (PeerRelease release : PeerRelease.values()) {
      for (List<String> topics : sets) {
        String name =
            "ties-" + release + "-" + topics.size() + (filter ? "-white_list" : "-static");
        runs.put(name, () -> run(name, release, topics, filter));
      }
    }
    return shared.tests(runs);
  }

  private static Void run(String name, PeerRelease release, List<String> topics, boolean filter) {
    Map<String, Integer> partitions = new TreeMap<>();
    Map<String, Integer> streams = new TreeMap<>();
    topics.forEach(topic -> partitions.put(topic, 3));
    topics.forEach(topic -> streams.put(topic, 1));
    Subscription subscription = Subscription.copyOf(streams);
    TopicSelection selection =
        filter ? new WildcardSubscription(TopicFilter.whiteList(".*"), 1) : subscription;
    Release rules = release == PeerRelease.V1_1_1 ? Release.V1_0 : Release.V0_8_2;
    try (PeerStage stage = shared.stage(name, partitions);
        RealConsumers jvm = SharedGroup.real(stage, release, "roundrobin");
        MixedGroup group =
            new MixedGroup(
                stage,
                new RoundRobinAssignor(rules),
                selection,
                subscription,
                SharedGroup.ours(stage, release.profile()))) {
      group.join("c1", jvm).join("c3", jvm).settle("two of kafka");
      group.join("c2").settle("and one of ours");
      group.demandValidLedger();
    }
    return null;
  }
}
