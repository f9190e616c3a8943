package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsumerPropertiesTest {

  private final Map<String, Object> map =
      new HashMap<>(Map.of("group.id", "g", "zookeeper.connect", "h:2181"));

  @Test
  void whatIsNotGivenIsTheOriginalsDefault() {
    ConsumerProperties parsed = ConsumerProperties.parse(map);

    assertThat(parsed.group()).isEqualTo(new GroupId("g"));
    assertThat(parsed.clientId()).isEqualTo("g");
    assertThat(parsed.consumerId()).matches(".+-\\d{13}-[0-9a-f]{1,8}");
    assertThat(parsed.engine()).isEqualTo(ZkEngineConfig.defaults("h:2181"));
  }

  @Test
  void everyKeyThatMattersIsRead() {
    Properties properties = new Properties();
    properties.putAll(map);
    properties.put("consumer.id", "c1");
    properties.put("client.id", "web");
    properties.put("zookeeper.session.timeout.ms", 4_000);
    properties.put("zookeeper.connection.timeout.ms", "5000");
    properties.put("rebalance.backoff.ms", "70");
    properties.put("rebalance.max.retries", 9);
    properties.put("partition.assignment.strategy", "roundrobin");
    properties.put("exclude.internal.topics", false);
    properties.put("auto.commit.enable", "false");
    properties.put("auto.commit.interval.ms", "1000");
    properties.put("rebalancer.profile", "0.8");
    properties.put("rebalancer.strict", "true");

    assertThat(ConsumerProperties.parse(properties))
        .isEqualTo(
            new ConsumerProperties(
                new GroupId("g"),
                "c1",
                "web",
                ZkEngineConfig.defaults("h:2181")
                    .withProfile(Profile.V0_8)
                    .withSessionTimeout(Duration.ofSeconds(4))
                    .withConnectionTimeout(Duration.ofSeconds(5))
                    .withRebalance(9, Duration.ofMillis(70))
                    .withAssignmentStrategy("roundrobin")
                    .withExcludeInternalTopics(false)
                    .withAutoCommit(false, Duration.ofSeconds(1))
                    .withStrict(true)));
  }

  @Test
  void theBackoffIsTheSyncTimeAndTheConnectionTimeoutTheSessions() {
    map.put("zookeeper.sync.time.ms", "200");
    map.put("zookeeper.session.timeout.ms", "3000");

    ZkEngineConfig engine = ConsumerProperties.parse(map).engine();

    assertThat(engine.rebalanceBackoff()).isEqualTo(Duration.ofMillis(200));
    assertThat(engine.connectionTimeout()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void offsetsInKafkaNeedAStoreAndAreCommittedTwiceUnlessToldNotTo() {
    map.put("offsets.storage", "Kafka");
    assertThatThrownBy(() -> ConsumerProperties.parse(map))
        .hasMessage(
            "offsets.storage: \"kafka\" (expected: zookeeper, as no offset store is given)");

    MapStore store = new MapStore();
    assertThat(ConsumerProperties.parse(map, store).engine())
        .isEqualTo(ZkEngineConfig.defaults("h:2181").withOffsetStore(store));
    map.put("dual.commit.enabled", "false");
    assertThat(ConsumerProperties.parse(map, store).engine())
        .isEqualTo(ZkEngineConfig.defaults("h:2181").withOffsetStore(store).withDualCommit(false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "group.id | a/b",
        "client.id | a b",
        "zookeeper.connect | ' '",
        "zookeeper.session.timeout.ms | soon",
        "zookeeper.session.timeout.ms | 0",
        "zookeeper.sync.time.ms | 2147483648",
        "rebalance.max.retries | 0",
        "rebalance.backoff.ms | -1",
        "auto.commit.enable | yes",
        "auto.commit.interval.ms | 0",
        "auto.offset.reset | earliest",
        "offsets.storage | redis",
        "partition.assignment.strategy | sticky",
        "exclude.internal.topics | 1",
        "fetch.wait.max.ms | 30001",
        "num.consumer.fetchers | many",
        "rebalancer.strict | maybe"
      })
  void whatTheOriginalRefusesIsRefusedByKey(String key, String value) {
    map.put(key, value);
    assertThatThrownBy(() -> ConsumerProperties.parse(map))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + ": ")
        .hasMessageContaining("(expected: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"group.id", "zookeeper.connect"})
  void aRequiredKeyIsMissedByName(String key) {
    map.remove(key);
    assertThatThrownBy(() -> ConsumerProperties.parse(map))
        .hasMessageStartingWith(key + ": missing (expected: ");
  }

  @Test
  void anUnknownKeyIsWarnedOfUnlessItIsOneOfOurs() {
    map.put("rebalance.retries.max", "9");
    map.put("queued.max.message.chunks", "3");
    try (LogCapture log = LogCapture.of(ConsumerProperties.class)) {
      ConsumerProperties.parse(map);
      assertThat(log.messages())
          .containsExactly("WARN rebalance.retries.max: unknown property, ignored");
    }

    map.put("rebalancer.stric", "true");
    assertThatThrownBy(() -> ConsumerProperties.parse(map))
        .hasMessage(
            "rebalancer.stric: unknown (expected: rebalancer.profile or rebalancer.strict)");
  }

  @Test
  void keysOfSecurityAreTakenAndUnknownOnesRefused() {
    map.put("zookeeper.ssl.client.enable", true);
    map.put("zookeeper.auth.digest", "m:secret");
    try (LogCapture log = LogCapture.of(ConsumerProperties.class)) {
      assertThat(ConsumerProperties.parse(map).engine().security())
          .isEqualTo(
              ZkSecurity.parse(
                  Map.of(
                      "zookeeper.ssl.client.enable", "true", "zookeeper.auth.digest", "m:secret")));
      assertThat(log.messages()).isEmpty();
    }

    map.put("zookeeper.ssl.trustStore.location", "/t");
    assertThatThrownBy(() -> ConsumerProperties.parse(map))
        .hasMessage(
            "zookeeper.ssl.trustStore.location: unknown (expected:"
                + " zookeeper.ssl.truststore.location)");
  }
}
