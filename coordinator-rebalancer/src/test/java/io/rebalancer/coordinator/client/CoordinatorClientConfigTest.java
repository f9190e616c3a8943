package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
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
                "range"));
  }

  @Test
  void e60SessionOfLessThanThreeHeartbeatsIsWarnedOfWithBothValues() {
    CoordinatorClientConfig good =
        CoordinatorClientConfig.of(SERVERS).withSession(ms(300), ms(100));
    CoordinatorClientConfig unwise =
        CoordinatorClientConfig.of(SERVERS).withSession(ms(299), ms(100));

    assertThat(good.warning()).isEmpty();
    assertThat(unwise.warning().orElseThrow())
        .contains("session.timeout.ms: 299", "heartbeat.interval.ms, 100");
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
