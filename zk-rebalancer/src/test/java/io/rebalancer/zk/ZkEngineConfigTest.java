package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.OffsetStore;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ZkEngineConfigTest {

  private final ZkEngineConfig config = ZkEngineConfig.defaults("h:2181/chroot");

  @Test
  void defaultsAreTheOriginals() {
    assertThat(config)
        .isEqualTo(
            new ZkEngineConfig(
                "h:2181/chroot",
                Profile.V1_1,
                4,
                Duration.ofMillis(2_000),
                Duration.ofMillis(6_000),
                Duration.ofMillis(6_000),
                "range",
                true,
                true,
                Duration.ofMillis(60_000),
                null,
                true,
                new TreeMap<>(),
                false,
                ZkSecurity.none()));
  }

  @Test
  void eachWitherChangesItsOwnKey() {
    Duration second = Duration.ofSeconds(1);
    OffsetStore store = new MapStore();
    ZkSecurity acls = ZkSecurity.parse(Map.of("zookeeper.set.acl", "true"));

    ZkEngineConfig changed =
        config
            .withProfile(Profile.DOCUMENTED)
            .withRebalance(7, Duration.ofMillis(3))
            .withSessionTimeout(second)
            .withConnectionTimeout(Duration.ofSeconds(2))
            .withAssignmentStrategy("roundrobin")
            .withExcludeInternalTopics(false)
            .withAutoCommit(false, second)
            .withOffsetStore(store)
            .withDualCommit(false)
            .withGivenPartitions(Map.of("t", 3))
            .withStrict(true)
            .withSecurity(acls);

    assertThat(config.withSessionTimeout(second).connectionTimeout()).isEqualTo(second);
    assertThat(changed)
        .isEqualTo(
            new ZkEngineConfig(
                "h:2181/chroot",
                Profile.DOCUMENTED,
                7,
                Duration.ofMillis(3),
                second,
                Duration.ofSeconds(2),
                "roundrobin",
                false,
                false,
                second,
                store,
                false,
                new TreeMap<>(Map.of("t", 3)),
                true,
                acls));
  }

  @Test
  void whatCannotBeIsRefusedByKeyAndValue() {
    refuses(() -> ZkEngineConfig.defaults(" "), "zookeeper.connect", "\" \"");
    refuses(() -> ZkEngineConfig.defaults("a:1/k,b:1/k"), "zookeeper.connect", "a:1,b:1/k");
    refuses(() -> config.withRebalance(0, Duration.ZERO), "rebalance.max.retries", "0");
    refuses(() -> config.withRebalance(1, Duration.ofMillis(-1)), "rebalance.backoff.ms", "-1");
    refuses(() -> config.withSessionTimeout(Duration.ZERO), "zookeeper.session.timeout.ms", "0");
    refuses(
        () -> config.withConnectionTimeout(Duration.ofDays(99)),
        "zookeeper.connection.timeout.ms",
        "8553600000");
    refuses(
        () -> config.withAssignmentStrategy("sticky"), "partition.assignment.strategy", "sticky");
    refuses(() -> config.withAutoCommit(true, Duration.ZERO), "auto.commit.interval.ms", "0");
    refuses(() -> config.withGivenPartitions(Map.of("t", -1)), "partitions of topic t", "-1");
  }

  @Test
  void anUnknownStrategyIsRangeIn08AndSaid() {
    ZkEngineConfig old = config.withProfile(Profile.V0_8).withAssignmentStrategy("round-robin");

    assertThat(old.assignor()).isInstanceOf(RangeAssignor.class);
    try (LogCapture log = LogCapture.of(ZkRebalanceEngine.class)) {
      new ZkRebalanceEngine(old, RebalanceObserver.none()).close();
      assertThat(log.messages())
          .containsExactly(
              "WARN partition.assignment.strategy: \"round-robin\" is taken for range, as by kafka"
                  + " 0.8.2 (expected: range or roundrobin)");
    }
  }

  @Test
  void triesThatAreOverBeforeASessionAreWarnedOfWithAllValues() {
    try (LogCapture log = LogCapture.of(ZkRebalanceEngine.class)) {
      new ZkRebalanceEngine(config, RebalanceObserver.none()).close();
      assertThat(log.messages()).isEmpty();
      ZkEngineConfig hasty = config.withRebalance(4, Duration.ofMillis(1_499));

      new ZkRebalanceEngine(hasty.withStrict(true), RebalanceObserver.none()).close();
      assertThat(log.messages()).as("a strict one goes on after its tries").isEmpty();

      new ZkRebalanceEngine(hasty, RebalanceObserver.none()).close();
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("WARN rebalance.max.retries x rebalance.backoff.ms: 4 x 1499 ms = 5996 ms")
          .contains("zookeeper.session.timeout.ms, 6000 ms");
    }
  }

  private static void refuses(ThrowingCallable call, String key, String value) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + ": ")
        .hasMessageContaining(value)
        .hasMessageContaining("(expected: ");
  }

  @Test
  void profilesAreReadByTheirNames() {
    assertThat(Profile.parse("documented")).isEqualTo(Profile.DOCUMENTED);
    assertThat(Profile.parse("1.1")).isEqualTo(Profile.V1_1);
    assertThat(Profile.parse("0.8")).isEqualTo(Profile.V0_8);
    assertThat(Profile.parse("0.7")).isEqualTo(Profile.V0_7);
    assertThatThrownBy(() -> Profile.parse("0.9"))
        .hasMessage("profile: \"0.9\" (expected: one of documented, 1.1, 0.8, 0.7)");
  }
}
