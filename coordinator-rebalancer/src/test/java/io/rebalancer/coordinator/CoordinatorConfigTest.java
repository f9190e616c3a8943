package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CoordinatorConfigTest {

  private static final CoordinatorConfig DEFAULTS =
      CoordinatorConfig.of("127.0.0.1:2181", new HostPort("127.0.0.1", 9092));

  @Test
  void defaultsAreKafkas() {
    assertThat(DEFAULTS)
        .isEqualTo(
            new CoordinatorConfig(
                "127.0.0.1:2181",
                new HostPort("127.0.0.1", 9092),
                Optional.empty(),
                1_000_000_000,
                Duration.ofMillis(6_000),
                Duration.ofMillis(5_000),
                Duration.ofMillis(3_000),
                Duration.ofMillis(6_000),
                Duration.ofMillis(1_800_000),
                Integer.MAX_VALUE,
                4_096,
                Duration.ofDays(7),
                Duration.ofMinutes(10),
                104_857_600,
                Duration.ofMinutes(10),
                GroupAssignmentConfig.CLASSIC,
                Map.of()));
  }

  @Test
  void aZookeeperSessionThatOutlivesMembersIsRefusedWithBothValues() {
    assertThatThrownBy(() -> DEFAULTS.withZookeeperSessionTimeout(Duration.ofSeconds(9)))
        .hasMessage(
            "group.min.session.timeout.ms: 6000 (expected: > 2/3 of zookeeper.session.timeout.ms"
                + " 9000 + 500)");
    assertThat(DEFAULTS.withZookeeperSessionTimeout(Duration.ofSeconds(8))).isNotNull();
  }

  @Test
  void aValueOutOfRangeIsNamedWithItsKey() {
    Duration minute = Duration.ofMinutes(1);
    assertThatThrownBy(() -> DEFAULTS.withOffsetsRetention(Duration.ZERO, minute))
        .hasMessage("offsets.retention.minutes: 0 (expected: >= 1)");
    assertThatThrownBy(() -> DEFAULTS.withOffsetsRetention(minute, Duration.ZERO))
        .hasMessage("offsets.retention.check.interval.ms: 0 (expected: > 0)");
    assertThatThrownBy(() -> DEFAULTS.withConnectionsMaxIdle(Duration.ZERO))
        .hasMessage("connections.max.idle.ms: 0 (expected: > 0)");
    assertThatThrownBy(() -> DEFAULTS.withGroupInitialRebalanceDelay(Duration.ofMillis(-1)))
        .hasMessage("group.initial.rebalance.delay.ms: -1 (expected: >= 0)");
    assertThatThrownBy(() -> DEFAULTS.withZookeeperSessionTimeout(Duration.ZERO))
        .hasMessage("zookeeper.session.timeout.ms: 0 (expected: > 0)");
    assertThatThrownBy(() -> CoordinatorConfig.of(" ", new HostPort("h", 1)))
        .hasMessage("zookeeper.connect: \"\" (expected: HOST:PORT[/chroot])");
    assertThatThrownBy(() -> CoordinatorConfig.of("h:99999", new HostPort("h", 1)))
        .hasMessageStartingWith("zookeeper.connect: \"h:99999\" (expected: HOST:PORT");
  }

  @ParameterizedTest
  @CsvSource({"host:9092, host, 9092", "[::1]:0, ::1, 0", "127.0.0.1:65535, 127.0.0.1, 65535"})
  void anAddressIsReadAsItIsWritten(String text, String host, int port) {
    assertThat(HostPort.parse(text)).isEqualTo(new HostPort(host, port)).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "host", "host:", ":1", "host:65536", "host:-1", "host:x"})
  void whatIsNoAddressIsRefusedWithTheText(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("address: \"" + text + "\" (expected: HOST:PORT)");
  }
}
