package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadTest {

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void aRegistrationIsWrittenByteForByteAsTheOriginalWritesIt() {
    var registration =
        new ConsumerRegistration(Subscription.copyOf(Map.of("t", 2, "u", 1)), 1796033893019L);

    assertThat(new String(registration.encode(), UTF_8))
        .isEqualTo(
            "{\"version\":1,\"subscription\":{\"t\":2,\"u\":1},\"pattern\":\"static\",\"timestamp\":\"1796033893019\"}");
  }

  @Test
  void aRegistrationIsReadInEveryShapeTheOriginalsWrote() {
    String of080 =
        "{ \"pattern\":\"static\", \"subscription\":{ \"t\": 1 }, \"timestamp\":\"5\", \"version\":1 }";
    String withoutTimestampOfAnotherVersion =
        "{\"version\":7,\"subscription\":{\"t\":1},\"pattern\":\"other\"}";

    Subscription one = Subscription.copyOf(Map.of("t", 1));
    assertThat(ConsumerRegistration.decode("/p", bytes(of080)))
        .isEqualTo(new ConsumerRegistration(one, 5));
    assertThat(ConsumerRegistration.decode("/p", bytes(withoutTimestampOfAnotherVersion)))
        .isEqualTo(new ConsumerRegistration(one, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "garbage",
        "{\"version\":1,\"subscription\":{\"t\":1}}",
        "{\"version\":1,\"subscription\":{\"t\":0},\"pattern\":\"static\"}",
        "{\"version\":1,\"subscription\":{\"t\":\"1\"},\"pattern\":\"static\"}"
      })
  void anUnreadableRegistrationIsNamedWithItsPathAndPayload(String payload) {
    assertThatThrownBy(() -> ConsumerRegistration.decode("/consumers/g/ids/c", bytes(payload)))
        .isInstanceOf(BadPayloadException.class)
        .hasMessageStartingWith("/consumers/g/ids/c: \"" + payload + "\"");
  }

  @Test
  void aLongPayloadIsCutInTheMessage() {
    assertThatThrownBy(() -> OffsetPayload.decode("/o", bytes("x".repeat(5000))))
        .hasMessageContaining("x".repeat(200) + "...")
        .hasMessageNotContaining("x".repeat(201));
  }

  @Test
  void aStandInBrokerIsWrittenLikeABrokerOfRelease11WithAMark() {
    assertThat(new String(new BrokerRegistration("h1", 9092, 5, true).encode(), UTF_8))
        .isEqualTo(
            "{\"listener_security_protocol_map\":{\"PLAINTEXT\":\"PLAINTEXT\"},"
                + "\"endpoints\":[\"PLAINTEXT://h1:9092\"],\"jmx_port\":-1,\"host\":\"h1\","
                + "\"timestamp\":\"5\",\"port\":9092,\"version\":4,\"standin\":true}");
  }

  @Test
  void aBrokerOfTheFirstVersionIsRead() {
    String v1 = "{\"jmx_port\":-1,\"timestamp\":\"9\",\"host\":\"h1\",\"version\":1,\"port\":9092}";

    assertThat(BrokerRegistration.decode("/b", bytes(v1)))
        .isEqualTo(new BrokerRegistration("h1", 9092, 9, false));
  }

  @Test
  void e06_partitionILiesOnBrokerIModN() {
    assertThat(new String(TopicPayload.encode(4, List.of(3, 1, 2)), UTF_8))
        .isEqualTo("{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[2],\"2\":[3],\"3\":[1]}}");
  }

  @Test
  void addingPartitionsKeepsTheReplicasOfThoseThatExist() {
    byte[] two = bytes("{\"version\":1,\"partitions\":{\"1\":[9,8],\"0\":[8,9]}}");

    assertThat(new String(TopicPayload.extend("/t", two, 3, List.of(1, 2)), UTF_8))
        .isEqualTo("{\"version\":1,\"partitions\":{\"1\":[9,8],\"0\":[8,9],\"2\":[1]}}");
  }

  @Test
  void partitionsAreReadInNumericOrderAndAnUnreadableTopicHasNone() {
    assertThat(
            TopicPayload.partitions(
                "/t",
                bytes("{\"version\":3,\"partitions\":{\"4\":[1],\"0\":[1],\"5\":[1]},\"x\":{}}")))
        .isEqualTo(PartitionSet.of(0, 4, 5));
    assertThat(TopicPayload.partitions("/t", bytes("{nonsense"))).isEqualTo(PartitionSet.empty());
    assertThat(TopicPayload.replicas("/t", bytes("{nonsense"))).isEmpty();
    assertThat(TopicPayload.partitions("/t", null)).isEqualTo(PartitionSet.empty());
  }

  @Test
  void whatTheOriginalsTakeForATopicWithoutPartitionsIsNamedToThoseWhoLook() {
    for (String payload : new String[] {"{\"version\":1,\"part", "{\"version\":1}", "", "[1]"}) {
      assertThatThrownBy(() -> TopicPayload.demandPartitions("/p", payload.getBytes(UTF_8)))
          .isInstanceOf(BadPayloadException.class)
          .hasMessageContaining("/p")
          .hasMessageContaining(payload);
    }
    assertThat(TopicPayload.demandPartitions("/p", "{\"partitions\":{}}".getBytes(UTF_8)))
        .isEqualTo(PartitionSet.empty());
  }

  @Test
  void replicasAreByPartitionNumber() {
    assertThat(
            TopicPayload.replicas(
                "/t", bytes("{\"partitions\":{\"3\":[2,1],\"0\":[1],\"1\":[2,1]}}")))
        .isEqualTo(List.of(List.of(1), List.of(2, 1), List.of(), List.of(2, 1)));
    assertThat(TopicPayload.replicas("/t", TopicPayload.encode(3, List.of(7, 8))))
        .isEqualTo(List.of(List.of(7), List.of(8), List.of(7)));
    assertThatThrownBy(() -> TopicPayload.replicas("/t", bytes("{\"partitions\":{\"0\":[\"x\"]}}")))
        .isInstanceOf(BadPayloadException.class)
        .hasMessageContaining("a list of brokers for partition 0");
  }

  @Test
  void aBrokersRackIsReadWhereItHasOne() {
    assertThat(BrokerRegistration.rack("/b", bytes("{\"version\":3,\"rack\":\"r1\"}")))
        .contains("r1");
    assertThat(BrokerRegistration.rack("/b", bytes("{\"version\":3,\"rack\":null}"))).isEmpty();
    assertThat(BrokerRegistration.rack("/b", bytes("{\"version\":3,\"rack\":\"\"}"))).isEmpty();
    assertThat(BrokerRegistration.rack("/b", new BrokerRegistration("h1", 9092, 5, true).encode()))
        .isEmpty();
    assertThatThrownBy(() -> BrokerRegistration.rack("/b", bytes("{\"rack\":1}")))
        .isInstanceOf(BadPayloadException.class)
        .hasMessageContaining("a string \"rack\"");
  }
}
