package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.PartitionSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class JsonDialectTest {

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static void isBad(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(BadPayloadException.class).hasMessageStartingWith("/p: ");
  }

  @Test
  void d11AnyNumberBeyond32BitsSpoilsADocumentForKafka08() {
    byte[] registration =
        bytes(
            "{\"version\":1,\"subscription\":{\"t\":1},\"pattern\":\"static\",\"timestamp\":1796033893019}");
    byte[] topic =
        bytes("{\"version\":1,\"partitions\":{\"0\":[1]},\"deep\":[{\"x\":2147483648}]}");
    byte[] broker = bytes("{\"host\":\"h\",\"port\":9092,\"load\":0.5}");

    isBad(() -> ConsumerRegistration.decode("/p", registration, JsonDialect.KAFKA_0_8));
    isBad(() -> TopicPayload.partitions("/p", topic, JsonDialect.KAFKA_0_8));
    isBad(() -> BrokerRegistration.decode("/p", broker, JsonDialect.KAFKA_0_8));
    assertThat(ConsumerRegistration.decode("/p", registration).timestampMs())
        .isEqualTo(1796033893019L);
    assertThat(TopicPayload.partitions("/p", topic)).isEqualTo(PartitionSet.range(0, 1));
  }

  @Test
  void aTopicThatDoesNotParseHasNoPartitionsForEither() {
    for (JsonDialect dialect : JsonDialect.values()) {
      assertThat(TopicPayload.partitions("/p", bytes("garbage"), dialect))
          .isEqualTo(PartitionSet.empty());
      assertThat(TopicPayload.partitions("/p", null, dialect)).isEqualTo(PartitionSet.empty());
    }
  }

  @Test
  void kafka08DemandsHostAndPortOfABrokerAnd11AVersion() {
    byte[] withoutVersion = bytes("{\"host\":null,\"port\":-1}");
    byte[] withoutPort = bytes("{\"version\":1,\"host\":\"h\"}");

    assertThat(BrokerRegistration.decode("/p", withoutVersion, JsonDialect.KAFKA_0_8).port())
        .isEqualTo(-1);
    isBad(() -> BrokerRegistration.decode("/p", withoutVersion, JsonDialect.KAFKA_1_1));
    isBad(() -> BrokerRegistration.decode("/p", withoutPort, JsonDialect.KAFKA_0_8));
  }

  @Test
  void escapesAreReadAsSuchAndALoneBackslashStandsForItself() {
    byte[] mixed =
        bytes(
            "{\"version\":1,\"subscription\":{\"\\\\d\\d\\u0074\\u\\/\":1},\"pattern\":\"static\"}");

    assertThat(ConsumerRegistration.decode("/p", mixed, JsonDialect.KAFKA_0_8).topics().toString())
        .contains("{\\d\\dt\\u/=1}");
  }
}
