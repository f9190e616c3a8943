package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.WildcardSubscription;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Our readers against the answers of kafka 1.1.1's and 0.8.2.2's own, payload by payload. */
class OriginalReadersTest {

  private static final String PATH = "/p";

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private record Row(String kind, String by11, String by08, String payload) {

    static Row parse(String line) {
      String[] cells = line.split("\\|", 4);
      return new Row(cells[0], cells[1], cells[2], cells[3]);
    }
  }

  private static Stream<Row> rows(String kind) throws IOException {
    try (InputStream in = OriginalReadersTest.class.getResourceAsStream("originals-read.txt")) {
      List<String> lines = new String(in.readAllBytes(), UTF_8).lines().toList();
      return lines.stream()
          .filter(line -> !line.startsWith("#"))
          .map(Row::parse)
          .filter(row -> row.kind().equals(kind));
    }
  }

  static Stream<Row> b105PartitionNames() throws IOException {
    return rows("topic");
  }

  static Stream<Row> b095AndB096Brokers() throws IOException {
    return rows("broker");
  }

  static Stream<Row> b098Registrations() throws IOException {
    return rows("member");
  }

  @ParameterizedTest
  @MethodSource
  void b105PartitionNames(Row row) {
    assertThat(topic(row, JsonDialect.KAFKA_1_1)).isEqualTo(row.by11());
    assertThat(topic(row, JsonDialect.KAFKA_0_8)).isEqualTo(row.by08());
  }

  private static String topic(Row row, JsonDialect dialect) {
    try {
      PartitionSet partitions = TopicPayload.partitions(PATH, bytes(row.payload()), dialect);
      return partitions.isEmpty()
          ? "none"
          : partitions.stream().mapToObj(Integer::toString).collect(joining(" "));
    } catch (BadPayloadException e) {
      return "fails";
    }
  }

  @ParameterizedTest
  @MethodSource
  void b095AndB096Brokers(Row row) {
    assertThat(broker(row, JsonDialect.KAFKA_1_1)).isEqualTo(row.by11());
    assertThat(broker(row, JsonDialect.KAFKA_0_8)).isEqualTo(row.by08());
  }

  private static String broker(Row row, JsonDialect dialect) {
    try {
      BrokerRegistration.decode(PATH, bytes(row.payload()), dialect);
      return "broker";
    } catch (BadPayloadException e) {
      return "fails";
    }
  }

  @ParameterizedTest
  @MethodSource
  void b098Registrations(Row row) {
    assertThat(member(row, JsonDialect.KAFKA_1_1)).isEqualTo(row.by11());
    assertThat(member(row, JsonDialect.KAFKA_0_8)).isEqualTo(row.by08());
  }

  private static String member(Row row, JsonDialect dialect) {
    try {
      var topics = ConsumerRegistration.decode(PATH, bytes(row.payload()), dialect).topics();
      if (topics instanceof WildcardSubscription wildcard) {
        return "white_list " + wildcard.filter().regex() + ":" + wildcard.streams();
      }
      return Stream.concat(
              Stream.of("static"),
              ((Subscription) topics)
                  .streams().entrySet().stream()
                      .map(entry -> entry.getKey() + ":" + entry.getValue()))
          .collect(joining(" "));
    } catch (BadPayloadException e) {
      return "fails";
    }
  }

  @Test
  void b095WhatABrokerLacksIsNamedWithTheOriginalsWords() {
    says("{\"version\":1,\"host\":\"b1\",\"port\":9092}", "No such field exists: `jmx_port`");
    says("{\"version\":2,\"jmx_port\":-1}", "No such field exists: `endpoints`");
    says("{\"version\":0,\"jmx_port\":-1}", "Unsupported version of broker registration");
    says("{\"version\":\"1\",\"jmx_port\":-1}", "Expected `Int` value, received \\\"1\\\"");
    says(
        "{\"version\":4,\"jmx_port\":-1,\"endpoints\":[\"b1\"]}",
        "Unable to parse b1 to a broker endpoint");
    says(
        "{\"version\":3,\"jmx_port\":-1,\"endpoints\":[\"DOCKER_INTERNAL://b1:1\"]}",
        "No security protocol defined for listener DOCKER_INTERNAL");
  }

  private static void says(String payload, String words) {
    assertThatThrownBy(() -> BrokerRegistration.decode("/brokers/ids/1", bytes(payload)))
        .isInstanceOf(BadPayloadException.class)
        .hasMessageStartingWith("/brokers/ids/1: \"" + payload + "\" (expected: ")
        .hasMessageContaining(words.replace("\\\"", "\""));
  }

  @Test
  void b095TheFirstEndpointStandsForABrokerWithoutHostAndPort() {
    String sslOnly =
        "{\"listener_security_protocol_map\":{\"INTERNAL\":\"SSL\",\"EXTERNAL\":\"SSL\"},"
            + "\"endpoints\":[\"INTERNAL://b1:9091\",\"EXTERNAL://b1:9092\"],\"rack\":\"r1\","
            + "\"jmx_port\":19999,\"host\":null,\"timestamp\":\"1500000000000\",\"port\":-1,"
            + "\"version\":4}";

    assertThat(BrokerRegistration.decode(PATH, bytes(sslOnly)))
        .isEqualTo(new BrokerRegistration("b1", 9091, 1500000000000L, false));
  }

  @Test
  void b105APartitionNumberThatTheOriginalsTakeAndWeDoNotIsNamed() {
    for (String key : List.of("-1", "2147483647")) {
      assertThatThrownBy(
              () -> TopicPayload.partitions(PATH, bytes("{\"partitions\":{\"" + key + "\":[1]}}")))
          .isInstanceOf(BadPayloadException.class)
          .hasMessageContaining("partition numbers from 0 to 9999999, not \"" + key + "\"");
    }
  }

  @Test
  void b105WhatIsReadableIsReadAndTheRestIsListed() {
    String mixed =
        "{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[1],\"x\":[1],\"-1\":[1],\"01\":[1],"
            + "\"1.0\":[1],\"2147483648\":[1],\"0-3\":[1]}}";

    assertThat(TopicPayload.readable(PATH, bytes(mixed)))
        .isEqualTo(
            new TopicPayload.Readable(
                PartitionSet.of(0, 1), List.of("x", "-1", "01", "1.0", "2147483648", "0-3")));
    for (String none : List.of("", "[]", "nonsense", "{\"partitions\":5}", "null")) {
      assertThat(TopicPayload.readable(PATH, bytes(none)))
          .isEqualTo(new TopicPayload.Readable(PartitionSet.empty(), List.of()));
    }
  }

  @Test
  void anExpressionTooDeepForThisJvmIsABadPayloadAndNoCrash() {
    String deep = "(".repeat(200_000) + "a" + ")".repeat(200_000);
    String registration =
        "{\"version\":1,\"subscription\":{\"" + deep + "\":1},\"pattern\":\"white_list\"}";

    assertThatThrownBy(() -> ConsumerRegistration.decode(PATH, bytes(registration)))
        .isInstanceOf(BadPayloadException.class)
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1_000));
  }
}
