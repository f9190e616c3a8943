package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WildcardPayloadTest {

  private static WildcardSubscription whiteList(String regex, int streams) {
    return new WildcardSubscription(TopicFilter.whiteList(regex), streams);
  }

  private static String written(TopicSelection topics) {
    return new String(new ConsumerRegistration(topics, 5).encode(), UTF_8);
  }

  private static TopicSelection read(String payload, JsonDialect dialect) {
    return ConsumerRegistration.decode("/p", payload.getBytes(UTF_8), dialect).topics();
  }

  @Test
  void aWildcardIsWrittenAsItsRegexAndPattern() {
    assertThat(written(whiteList("t,u", 3)))
        .isEqualTo(
            "{\"version\":1,\"subscription\":{\"t|u\":3},\"pattern\":\"white_list\",\"timestamp\":\"5\"}");
    assertThat(written(new WildcardSubscription(TopicFilter.blackList("[t-v]\\w*"), 1)))
        .isEqualTo(
            "{\"version\":1,\"subscription\":{\"[t-v]\\\\w*\":1},\"pattern\":\"black_list\",\"timestamp\":\"5\"}");
  }

  /** The table of kafka's TopicFilterTest: the regex, and the key that it is registered under. */
  static Stream<Arguments> keys() {
    return Stream.of(
        Arguments.of("-\"-", "-\\\"-"),
        Arguments.of("-\\-", "-\\\\-"),
        Arguments.of("-/-", "-\\/-"),
        Arguments.of("-\b-", "-\\b-"),
        Arguments.of("-\f-", "-\\f-"),
        Arguments.of("-\n-", "-\\n-"),
        Arguments.of("-\r-", "-\\r-"),
        Arguments.of("-\t-", "-\\t-"),
        Arguments.of("-\u0000-", "-\\u0000-"),
        Arguments.of("-\u001f-", "-\\u001f-"),
        Arguments.of("-\u007f-", "-\\u007f-"),
        Arguments.of("-\u009f-", "-\\u009f-"));
  }

  @ParameterizedTest
  @MethodSource("keys")
  void aKeyIsEscapedInOnePassAndReadBackByBothParsers(String regex, String key) {
    String payload = written(whiteList(regex, 1));

    assertThat(payload).contains("{\"" + key + "\":1}");
    for (JsonDialect dialect : JsonDialect.values()) {
      assertThat(read(payload, dialect)).isEqualTo(whiteList(regex, 1));
    }
  }

  @ParameterizedTest
  @EnumSource(JsonDialect.class)
  void everyHistoricalShapeIsRead(JsonDialect dialect) {
    String of080 =
        "{ \"pattern\":\"white_list\", \"subscription\":{ \"t|u\" : 2 }, \"timestamp\":\"5\", \"version\":1 }";
    String of081 =
        "{\"version\":1,\"subscription\":{\"t\\d+\":1},\"pattern\":\"white_list\",\"timestamp\":\"5\"}";
    String of111 =
        "{\"version\":1,\"subscription\":{\"t\\\\\\\\d+\":1},\"pattern\":\"white_list\",\"timestamp\":\"5\"}";

    assertThat(read(of080, dialect)).isEqualTo(whiteList("t|u", 2));
    assertThat(read(of081, dialect)).isEqualTo(whiteList("t\\d+", 1));
    // D12: escaped twice, it reads as a literal backslash, and matches nothing.
    assertThat(read(of111, dialect)).isEqualTo(whiteList("t\\\\d+", 1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"wild", "", "WHITE_LIST", "static"})
  void anyOtherPatternIsStatic(String pattern) {
    String payload = "{\"version\":1,\"subscription\":{\"t.*\":1},\"pattern\":\"" + pattern + "\"}";

    assertThat(read(payload, JsonDialect.KAFKA_1_1))
        .isEqualTo(Subscription.copyOf(Map.of("t.*", 1)));
  }

  @Test
  void aWildcardWithoutARegexIsStaticAndEmpty() {
    assertThat(
            read(
                "{\"version\":1,\"subscription\":{},\"pattern\":\"white_list\"}",
                JsonDialect.KAFKA_1_1))
        .isEqualTo(Subscription.copyOf(Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"[t\":1}", "{\"t\":0}"})
  void aWildcardThatCannotBeUsedIsNamed(String subscription) {
    String payload =
        "{\"version\":1,\"subscription\":" + subscription + ",\"pattern\":\"black_list\"}";

    assertThatThrownBy(() -> read(payload, JsonDialect.KAFKA_1_1))
        .isInstanceOf(BadPayloadException.class)
        .hasMessageStartingWith("/p: \"" + payload + "\"");
  }
}
