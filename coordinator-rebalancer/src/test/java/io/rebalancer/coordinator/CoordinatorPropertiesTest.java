package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoordinatorPropertiesTest {

  private static Properties properties(String text) throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(text));
    return properties;
  }

  private static CoordinatorConfig read(String text) throws IOException {
    return CoordinatorProperties.read(properties(text));
  }

  @Test
  void whatIsNotThereHasItsDefault() throws IOException {
    assertThat(read("zookeeper.connect=zk:2181/k"))
        .isEqualTo(CoordinatorConfig.of("zk:2181/k", new HostPort("127.0.0.1", 9092)));
  }

  @Test
  void everyKeyIsRead() throws IOException {
    assertThat(
            read(
                """
                zookeeper.connect = zk:2181
                listeners = PLAINTEXT://0.0.0.0:0
                advertised.listeners = there:9093
                node.id = 1000000007
                zookeeper.session.timeout.ms = 6001
                zookeeper.connection.timeout.ms = 5001
                group.initial.rebalance.delay.ms = 0
                group.min.session.timeout.ms = 6002
                group.max.session.timeout.ms = 6003
                group.max.size = 7
                offset.metadata.max.bytes = 8
                offsets.retention.minutes = 9
                offsets.retention.check.interval.ms = 10
                socket.request.max.bytes = 1024
                connections.max.idle.ms = 11
                group.assignment = server
                group.assignor = sticky
                scheduled.rebalance.max.delay.ms = 9
                groups.old.group.assignment = classic
                groups.a.b.scheduled.rebalance.max.delay.ms = 10
                groups.a.b.group.assignor = range
                """))
        .isEqualTo(
            new CoordinatorConfig(
                "zk:2181",
                new HostPort("0.0.0.0", 0),
                Optional.of(new HostPort("there", 9093)),
                1_000_000_007,
                Duration.ofMillis(6001),
                Duration.ofMillis(5001),
                Duration.ZERO,
                Duration.ofMillis(6002),
                Duration.ofMillis(6003),
                7,
                8,
                Duration.ofMinutes(9),
                Duration.ofMillis(10),
                1024,
                Duration.ofMillis(11),
                GroupAssignmentConfig.server("sticky", Duration.ofMillis(9)),
                Map.of(
                    "old",
                    new GroupAssignmentConfig(false, "sticky", Duration.ZERO),
                    "a.b",
                    GroupAssignmentConfig.server("range", Duration.ofMillis(10)))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      textBlock =
          """
          listeners=a:1 ~ zookeeper.connect: missing (expected: HOST:PORT[/chroot])
          listeners=SSL://a:1,b:2 ~ listeners: "SSL://a:1,b:2" (expected: one HOST:PORT or PLAINTEXT://HOST:PORT)
          advertised.listeners=a:0 ~ advertised.listeners: a:0 (expected: a port above 0)
          listeners=PLAINTEXT://0.0.0.0:9092 ~ advertised.listeners: that of listeners, 0.0.0.0 (expected: a HOST:PORT that clients can connect to)
          listeners=[::]:9092 ~ advertised.listeners: that of listeners, :: (expected: a HOST:PORT that clients can connect to)
          advertised.listeners=0.0.0.0:9092 ~ advertised.listeners: 0.0.0.0:9092 (expected: a HOST:PORT that clients can connect to)
          node.id=1 ~ node.id: 1 (expected: >= 1000000000)
          group.max.size=many ~ group.max.size: "many" (expected: a number up to 2147483647)
          group.max.size=0 ~ group.max.size: 0 (expected: >= 1)
          group.assignment=mine ~ group.assignment: "mine" (expected: classic or server)
          group.assignor=none ~ group.assignor: none (expected: one of cooperative-sticky, first-takes-all, range, roundrobin, sticky, uniform, weighted)
          groups.g.scheduled.rebalance.max.delay.ms=5 ~ group g: scheduled.rebalance.max.delay.ms: 5 (expected: 0 where group.assignment is classic, since its group leader assigns; or group.assignment=server)
          zookeeper.session.timeout.ms=60000 ~ group.min.session.timeout.ms: 6000 (expected: > 2/3 of zookeeper.session.timeout.ms 60000 + 500)
          """)
  void whatIsWrongIsNamed(String line, String message) {
    String before = message.startsWith("zookeeper.connect") ? "" : "zookeeper.connect=zk:1\n";

    assertThatThrownBy(() -> read(before + line))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void keysThatAreNotKnownAreNamed() throws IOException {
    assertThat(
            CoordinatorProperties.unknown(
                properties("zookeeper.connect=zk:1\nlog.dirs=/d\nbroker.id=3\nnode.id=1000000000")))
        .containsExactly("broker.id", "log.dirs");
  }

  @ParameterizedTest
  @CsvSource({
    "group.max.sise, group.max.size",
    "group.max.szie, group.max.size",
    "Group.Max.Size, group.max.size",
    "listener, listeners",
    "advertised.listener, advertised.listeners",
    "nodeid, node.id",
    "offset.retention.minutes, offsets.retention.minutes",
    "group.asignors, group.assignor",
    "groups.g.group.assignments, groups.G.group.assignment",
    "groups.a.b.scheduled.rebalance.delay.ms, groups.G.scheduled.rebalance.max.delay.ms",
    "groups.g, groups.G.group.assignor"
  })
  void aKeyThatIsProbablyMisspeltIsRefusedWithTheOneThatIsMeant(String key, String meant) {
    assertThatThrownBy(() -> read("zookeeper.connect=zk:1\n" + key + "=1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(key + ": unknown (expected: " + meant + ")");
  }
}
