package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CoordinatorClientConfigTest {

  private static final List<InetSocketAddress> SERVERS =
      List.of(InetSocketAddress.createUnresolved("localhost", 9092));

  @Test
  void defaultsAreThoseOfTheJavaConsumer() {
    assertThat(CoordinatorClientConfig.of(SERVERS))
        .isEqualTo(
            new CoordinatorClientConfig(
                SERVERS,
                Duration.ofMillis(45_000),
                Duration.ofMillis(3_000),
                Duration.ofMillis(300_000),
                Duration.ofMillis(30_000),
                Duration.ofMillis(100),
                Duration.ofMillis(1_000),
                "range",
                Optional.empty(),
                Duration.ZERO,
                Duration.ofMillis(300_000),
                true,
                Optional.empty()));
  }

  @Test
  void e60SessionOfLessThanThreeHeartbeatsIsWarnedOfWithBothValues() {
    CoordinatorClientConfig good =
        CoordinatorClientConfig.of(SERVERS).withSession(ms(300), ms(100));
    CoordinatorClientConfig unwise =
        CoordinatorClientConfig.of(SERVERS).withSession(ms(299), ms(100));

    assertThat(good.withTimeouts(ms(1000), ms(299)).warnings()).isEmpty();
    assertThat(unwise.withTimeouts(ms(1000), ms(298)).warnings())
        .containsExactly(
            "session.timeout.ms: 299 is less than 3 x heartbeat.interval.ms, 100: one lost"
                + " heartbeat can end a membership");
  }

  @Test
  void e60SessionOfOneHeartbeatIsRefusedWithBothValues() {
    assertThatThrownBy(() -> CoordinatorClientConfig.of(SERVERS).withSession(ms(100), ms(100)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("session.timeout.ms: 100 (expected: more than heartbeat.interval.ms, 100)");
  }

  @Test
  void badValuesAreRefusedByTheirKeys() {
    CoordinatorClientConfig config = CoordinatorClientConfig.of(SERVERS);

    assertThatThrownBy(() -> CoordinatorClientConfig.of(List.of()))
        .hasMessage("bootstrap.servers: none (expected: at least one)");
    assertThatThrownBy(() -> config.withTimeouts(ms(0), ms(1)))
        .hasMessage("max.poll.interval.ms: 0 (expected: 1 to 2147483647)");
    assertThatThrownBy(() -> config.withTimeouts(ms(1), ms(-1)))
        .hasMessage("request.timeout.ms: -1 (expected: 1 to 2147483647)");
    assertThatThrownBy(() -> config.withAssignmentStrategy("stcky"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("partition.assignment.strategy: stcky (expected: one of ")
        .hasMessageContainingAll("cooperative-sticky", "range", "roundrobin", " sticky", "uniform");
  }

  @Test
  void everyViolationIsNamedAtOnce() {
    assertThatThrownBy(
            () ->
                new CoordinatorClientConfig(
                    List.of(),
                    ms(100),
                    ms(200),
                    ms(0),
                    ms(1),
                    ms(1),
                    ms(1),
                    "sticky",
                    Optional.of("a/b"),
                    ms(5),
                    ms(0),
                    true,
                    Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "bootstrap.servers: none (expected: at least one); ",
            "max.poll.interval.ms: 0 (expected: 1 to 2147483647); ",
            "session.timeout.ms: 100 (expected: more than heartbeat.interval.ms, 200); ",
            "scheduled.rebalance.max.delay.ms: 5 (expected: 0 with partition.assignment.strategy"
                + " sticky, which cannot carry a delay; uniform and weighted can); ",
            "metadata.max.age.ms: 0 (expected: 1 to 2147483647)",
            "group.instance.id");
  }

  @Test
  void whatIsLegalAndUnwiseIsWarnedOfWithAllValues() {
    CoordinatorClientConfig config =
        CoordinatorClientConfig.of(SERVERS)
            .withSession(ms(900), ms(300))
            .withTimeouts(ms(300), ms(900))
            .withRetryBackoff(ms(50), ms(49));

    assertThat(config.warnings())
        .containsExactly(
            "max.poll.interval.ms: 300 is not more than heartbeat.interval.ms, 300: a rebalance is"
                + " over before all members have heard of it",
            "retry.backoff.ms: 50 is more than retry.backoff.max.ms, 49: every pause is of"
                + " retry.backoff.max.ms");
    assertThat(CoordinatorClientConfig.of(SERVERS).warnings()).isEmpty();
  }

  @Test
  void theLeaseEndsBeforeTheSessionAndOutlastsAHeartbeat() {
    CoordinatorClientConfig config = CoordinatorClientConfig.of(SERVERS);

    assertThat(config.withSession(ms(10_000), ms(3_000)).lease()).isEqualTo(ms(9_000));
    assertThat(config.withSession(ms(1_000), ms(900)).lease()).isEqualTo(ms(950));
  }

  @Test
  void aJoinIsGivenLongerThanTheSlowestMember() {
    CoordinatorClientConfig config = CoordinatorClientConfig.of(SERVERS);

    assertThat(config.joinTimeout()).isEqualTo(ms(305_000));
    assertThat(config.withTimeouts(ms(1_000), ms(30_000)).joinTimeout()).isEqualTo(ms(30_000));
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }
}
