package io.rebalancer.coordinator.client;

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
                Map.of(
                    "bootstrap.servers", "h:1, [::1]:2",
                    "session.timeout.ms", 6001,
                    "heartbeat.interval.ms", " 1001 ",
                    "max.poll.interval.ms", "2001",
                    "request.timeout.ms", "3001",
                    "retry.backoff.ms", "11",
                    "retry.backoff.max.ms", "12",
                    "partition.assignment.strategy", "weighted",
                    "group.instance.id", "i",
                    "scheduled.rebalance.max.delay.ms", "4001")))
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
                Duration.ofMillis(4001)));
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
                        "partition.assignment.strategy", "stcky")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "bootstrap.servers: \"h\" (expected: HOST:PORT)",
            "session.timeout.ms: \"soon\" (expected: a number of milliseconds)",
            "request.timeout.ms: 0 (expected: 1 to 2147483647)",
            "partition.assignment.strategy: stcky (expected: one of ");
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
