package io.rebalancer.it.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor.Release;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Black lists, and filters with a backslash, which 1.1.1 escapes twice and itself cannot read. */
class FiltersIT {

  private static final Map<String, Integer> TOPICS = Map.of("t", 5, "u", 4, "v1", 3, "w", 2);

  private static final WildcardSubscription WHITE =
      new WildcardSubscription(TopicFilter.whiteList("[t-v]\\w*"), 1);
  private static final Subscription TUV = Subscription.copyOf(Map.of("t", 1, "u", 1, "v1", 1));
  private static final Subscription TU = Subscription.copyOf(Map.of("t", 1, "u", 1));
  private static final Subscription NOTHING = Subscription.copyOf(Map.of());

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
  Stream<DynamicTest> filtersAreShared() {
    Map<String, Callable<Void>> runs = new LinkedHashMap<>();
    runs.put("a black list with 1.1.1", () -> blackList(PeerRelease.V1_1_1, new RangeAssignor()));
    runs.put(
        "a black list with 0.8.2.2",
        () -> blackList(PeerRelease.V0_8_2_2, new RoundRobinAssignor(Release.V0_8_2)));
    runs.put("a backslash with 0.8.2.2", FiltersIT::backslashOf0822);
    runs.put("a backslash with 1.1.1, range", () -> backslashOf111(new RangeAssignor()));
    runs.put(
        "a backslash with 1.1.1, round robin",
        () -> backslashOf111(new RoundRobinAssignor(Release.V1_0)));
    return shared.tests(runs);
  }

  private static Void blackList(PeerRelease release, PartitionAssignor assignor) {
    WildcardSubscription black = new WildcardSubscription(TopicFilter.blackList("u|w.*"), 2);
    Subscription others = Subscription.copyOf(Map.of("t", 2, "v1", 2));
    try (PeerStage stage = shared.stage("black", TOPICS);
        RealConsumers jvm = SharedGroup.real(stage, release, assignor.name());
        MixedGroup group =
            new MixedGroup(
                stage, assignor, black, others, SharedGroup.ours(stage, release.profile()))) {
      group.join("c1", jvm).join("c2").join("c3", jvm).join("c4").settle("2 real, 2 ours");
      group.leave("c4").settle("one of ours has left");
      group.leave("c1").settle("a real one has left");
      group.demandValidLedger();
    }
    return null;
  }

  private static Void backslashOf0822() {
    PeerRelease release = PeerRelease.V0_8_2_2;
    try (PeerStage stage = shared.stage("escaped", TOPICS);
        RealConsumers jvm = SharedGroup.real(stage, release, "range");
        MixedGroup group =
            new MixedGroup(
                stage,
                new RangeAssignor(),
                WHITE,
                TUV,
                SharedGroup.ours(stage, release.profile()))) {
      group.join("c1", jvm).join("c2").settle("escaped once by either");
      assertThat(registered(stage, "c1")).contains("{\"[t-v]\\\\w*\":1}");
      assertThat(registered(stage, "c2")).contains("{\"[t-v]\\\\w*\":1}");
    }
    return null;
  }

  private static Void backslashOf111(PartitionAssignor assignor) {
    PeerRelease release = PeerRelease.V1_1_1;
    try (PeerStage stage = shared.stage("escaped-twice", TOPICS);
        RealConsumers jvm = SharedGroup.real(stage, release, assignor.name());
        MixedGroup group =
            new MixedGroup(stage, assignor, TU, TU, SharedGroup.ours(stage, release.profile()))) {
      group.join("c1", jvm, WHITE, NOTHING).join("c2", WHITE, TUV);
      group.join("c3", jvm).join("c4").settle("the real one with the filter owns nothing");
      assertThat(registered(stage, "c1")).contains("{\"[t-v]\\\\\\\\w*\":1}");
      assertThat(registered(stage, "c2")).contains("{\"[t-v]\\\\w*\":1}");
      assertThat(stage.offenders()).isEmpty();
      group.leave("c2").settle("nobody is left who owns v1");
      group.demandValidLedger();
    }
    return null;
  }

  private static String registered(PeerStage stage, String name) {
    return stage.znodes().get("/consumers/g/ids/g_" + name);
  }
}
