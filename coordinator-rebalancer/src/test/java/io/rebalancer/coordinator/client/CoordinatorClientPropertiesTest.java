package io.rebalancer.coordinator.client;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CoordinatorClientPropertiesTest {

  private static final List<InetSocketAddress> SERVER =
      List.of(InetSocketAddress.createUnresolved("h", 9092));

  @Test
  void whatIsNotThereHasItsDefault() {
    assertThat(CoordinatorClientProperties.read(Map.of("bootstrap.servers", "h:9092")))
        .isEqualTo(CoordinatorClientConfig.of(SERVER));
  }

  @Test
  void everyKeyIsReadAsTextOrNumber() {
    assertThat(
            CoordinatorClientProperties.read(
                Map.ofEntries(
                    entry("bootstrap.servers", "h:1, [::1]:2"),
                    entry("session.timeout.ms", 6001),
                    entry("heartbeat.interval.ms", " 1001 "),
                    entry("max.poll.interval.ms", "2001"),
                    entry("request.timeout.ms", "3001"),
                    entry("retry.backoff.ms", "11"),
                    entry("retry.backoff.max.ms", "12"),
                    entry("partition.assignment.strategy", "weighted"),
                    entry("group.instance.id", "i"),
                    entry("scheduled.rebalance.max.delay.ms", "4001"),
                    entry("metadata.max.age.ms", "5001"),
                    entry("exclude.internal.topics", "False"),
                    entry("client.rack", "r1"))))
        .isEqualTo(
            new CoordinatorClientConfig(
                List.of(
                    InetSocketAddress.createUnresolved("h", 1),
                    InetSocketAddress.createUnresolved("::1", 2)),
                Duration.ofMillis(6001),
                Duration.ofMillis(1001),
                Duration.ofMillis(2001),
                Duration.ofMillis(3001),
                Duration.ofMillis(11),
                Duration.ofMillis(12),
                "weighted",
                Optional.of("i"),
                Duration.ofMillis(4001),
                Duration.ofMillis(5001),
                false,
                Optional.of("r1")));
  }

  @Test
  void kafkasClassesAreKnownByTheirStrategies() {
    assertThat(
            CoordinatorClientProperties.read(
                    Map.of(
                        "bootstrap.servers",
                        "h:1",
                        "partition.assignment.strategy",
                        "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"))
                .assignmentStrategy())
        .isEqualTo("cooperative-sticky");
  }

  @Test
  void everyViolationIsNamedAtOnce() {
    assertThatThrownBy(
            () ->
                CoordinatorClientProperties.read(
                    Map.of(
                        "bootstrap.servers", "h",
                        "session.timeout.ms", "soon",
                        "request.timeout.ms", "0",
                        "exclude.internal.topics", "no",
                        "partition.assignment.strategy", "stcky")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "bootstrap.servers: \"h\" (expected: HOST:PORT)",
            "session.timeout.ms: \"soon\" (expected: a number of milliseconds)",
            "request.timeout.ms: 0 (expected: 1 to 2147483647)",
            "exclude.internal.topics: \"no\" (expected: true or false)",
            "partition.assignment.strategy: stcky (expected: one of ");
  }

  @Test
  void aValueThatCannotBeReadIsItsOnlyViolationAndThoseOfOthersStay() {
    assertThatThrownBy(
            () ->
                CoordinatorClientProperties.read(
                    Map.of(
                        "bootstrap.servers", "h",
                        "session.timeout.ms", "abc",
                        "heartbeat.interval.ms", "50000",
                        "group.instance.id", "a/b",
                        "request.timeout.ms", "0")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "bootstrap.servers: \"h\" (expected: HOST:PORT);"
                + " session.timeout.ms: \"abc\" (expected: a number of milliseconds);"
                + " request.timeout.ms: 0 (expected: 1 to 2147483647);"
                + " group.instance.id: \"a/b\" (expected: ASCII alphanumerics, '.', '_' and '-', at"
                + " most 255 of them; '/' at position 2)");
  }

  @Test
  void aFirstPauseLongerThanTheLongestIsWarnedOfAsByKafkasConsumer() {
    assertThat(
            CoordinatorClientProperties.read(
                    Map.of(
                        "bootstrap.servers", "h:1",
                        "retry.backoff.ms", "2000",
                        "retry.backoff.max.ms", "1000"))
                .warnings())
        .containsExactly(
            "retry.backoff.ms: 2000 is more than retry.backoff.max.ms, 1000: every pause is of"
                + " retry.backoff.max.ms");
  }

  @Test
  void theKeysOfAConsumerThatMeanNothingHereAreNamed() {
    assertThat(
            CoordinatorClientProperties.unknown(
                Map.of(
                    "bootstrap.servers", "h:1", "fetch.min.bytes", 1, "session.timeout.ms", 9000)))
        .containsExactly("fetch.min.bytes");
  }
}
