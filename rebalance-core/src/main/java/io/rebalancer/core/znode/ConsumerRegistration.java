package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code /consumers/GROUP/ids/CONSUMER} (kafka 0.8.1-1.1, {@code
 * ZookeeperConsumerConnector} and {@code TopicCount}): {@code
 * {"version":1,"subscription":{"t":2},"pattern":"static", "timestamp":"1796033893019"}}. With a
 * wildcard the one key of {@code subscription} is the regular expression, and the pattern {@code
 * white_list} or {@code black_list}.
 *
 * @param timestampMs when it was registered, epoch milliseconds. Written as a JSON string: readers
 *     up to 0.11 parse every number as a 32-bit int, and a larger one stops their whole group.
 *     Readers never use it.
 */
public record ConsumerRegistration(TopicSelection topics, long timestampMs) {

  private static final String STATIC = "static";
  private static final String WHITE_LIST = "white_list";
  private static final String BLACK_LIST = "black_list";
  private static final String EXPECTED =
      "a registration like {\"version\":1,\"subscription\":{\"t\":1},\"pattern\":\"static\","
          + "\"timestamp\":\"0\"}";

  /** By hand, since the original escapes more in a key than JSON demands. */
  public byte[] encode() {
    String subscription =
        keys().entrySet().stream()
            .map(entry -> '"' + JsonText.escaped(entry.getKey()) + "\":" + entry.getValue())
            .collect(joining(","));
    return ("{\"version\":1,\"subscription\":{%s},\"pattern\":\"%s\",\"timestamp\":\"%d\"}"
            .formatted(subscription, pattern(), timestampMs))
        .getBytes(UTF_8);
  }

  private Map<String, Integer> keys() {
    if (topics instanceof WildcardSubscription wildcard) {
      return Map.of(wildcard.filter().regex(), wildcard.streams());
    }
    return ((Subscription) topics).streams();
  }

  private String pattern() {
    if (topics instanceof WildcardSubscription wildcard) {
      return wildcard.filter().kind() == TopicFilter.Kind.WHITE_LIST ? WHITE_LIST : BLACK_LIST;
    }
    return STATIC;
  }

  /** As kafka 1.1 reads it. */
  public static ConsumerRegistration decode(String path, byte @Nullable [] payload) {
    return decode(path, payload, JsonDialect.KAFKA_1_1);
  }

  /**
   * Reads what {@link #encode} and the originals write. As with the originals, any version will do,
   * the timestamp may be missing, a pattern is demanded (kafka 0.8: may be null) and one that is
   * not known counts as static, as does one without topics.
   *
   * @throws BadPayloadException for anything the originals cannot read either
   */
  public static ConsumerRegistration decode(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    JsonNode root = Json.readObject(path, payload, dialect);
    JsonNode subscription = root.get("subscription");
    JsonNode pattern = root.get("pattern");
    if (subscription == null
        || !subscription.isObject()
        || pattern == null
        || !(pattern.isTextual() || (pattern.isNull() && dialect == JsonDialect.KAFKA_0_8))) {
      throw new BadPayloadException(path, Json.text(payload), EXPECTED);
    }
    Map<String, Integer> streams = streams(path, payload, subscription);
    if (streams.isEmpty() || !isWildcard(pattern.asText())) {
      return new ConsumerRegistration(Subscription.copyOf(streams), timestamp(root));
    }
    String regex = subscription.fieldNames().next(); // The original takes the first and no other.
    TopicFilter.Kind kind =
        pattern.textValue().equals(WHITE_LIST)
            ? TopicFilter.Kind.WHITE_LIST
            : TopicFilter.Kind.BLACK_LIST;
    try {
      TopicFilter filter = new TopicFilter(kind, regex);
      return new ConsumerRegistration(
          new WildcardSubscription(filter, subscription.path(regex).intValue()), timestamp(root));
    } catch (IllegalArgumentException e) {
      throw new BadPayloadException(
          path, Json.text(payload), "a regular expression, not \"" + regex + "\"");
    }
  }

  private static Map<String, Integer> streams(
      String path, byte @Nullable [] payload, JsonNode subscription) {
    Map<String, Integer> streams = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : subscription.properties()) {
      JsonNode count = entry.getValue();
      if (!count.isInt() || count.intValue() < 1) {
        throw new BadPayloadException(
            path, Json.text(payload), "a stream count >= 1 for topic " + entry.getKey());
      }
      streams.put(entry.getKey(), count.intValue());
    }
    return streams;
  }

  private static boolean isWildcard(String pattern) {
    return pattern.equals(WHITE_LIST) || pattern.equals(BLACK_LIST);
  }

  private static long timestamp(JsonNode root) {
    JsonNode timestamp = root.get("timestamp");
    return timestamp == null ? 0 : timestamp.asLong(0);
  }
}
