package io.rebalancer.core.znode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.core.model.Subscription;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code /consumers/GROUP/ids/CONSUMER} (kafka 0.8.1-1.1, {@code
 * ZookeeperConsumerConnector} and {@code TopicCount}): {@code
 * {"version":1,"subscription":{"t":2},"pattern":"static", "timestamp":"1796033893019"}}.
 *
 * @param timestampMs when it was registered, epoch milliseconds. Written as a JSON string: readers
 *     up to 0.11 parse every number as a 32-bit int, and a larger one stops their whole group.
 *     Readers never use it.
 */
public record ConsumerRegistration(Subscription subscription, long timestampMs) {

  private static final String EXPECTED =
      "a registration like {\"version\":1,\"subscription\":{\"t\":1},\"pattern\":\"static\","
          + "\"timestamp\":\"0\"}";

  public byte[] encode() {
    ObjectNode root = Json.MAPPER.createObjectNode();
    root.put("version", 1);
    ObjectNode streams = root.putObject("subscription");
    subscription.streams().forEach(streams::put);
    root.put("pattern", "static");
    root.put("timestamp", Long.toString(timestampMs));
    return Json.write(root);
  }

  /**
   * Reads what {@link #encode} and the originals write. As with the originals, any version will do,
   * the timestamp may be missing, a pattern is demanded and one that is not known counts as static.
   *
   * @throws BadPayloadException for anything the originals cannot read either, and for the wildcard
   *     patterns {@code white_list} and {@code black_list}
   */
  public static ConsumerRegistration decode(String path, byte @Nullable [] payload) {
    JsonNode root = Json.readObject(path, payload);
    JsonNode subscription = root.get("subscription");
    JsonNode pattern = root.get("pattern");
    if (subscription == null
        || !subscription.isObject()
        || pattern == null
        || !pattern.isTextual()) {
      throw new BadPayloadException(path, Json.text(payload), EXPECTED);
    }
    if (!subscription.isEmpty()
        && (pattern.textValue().equals("white_list") || pattern.textValue().equals("black_list"))) {
      throw new BadPayloadException(
          path, Json.text(payload), "pattern static; wildcard subscriptions are not read");
    }
    Map<String, Integer> streams = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : subscription.properties()) {
      JsonNode count = entry.getValue();
      if (!count.isInt() || count.intValue() < 1) {
        throw new BadPayloadException(
            path, Json.text(payload), "a stream count >= 1 for topic " + entry.getKey());
      }
      streams.put(entry.getKey(), count.intValue());
    }
    return new ConsumerRegistration(Subscription.copyOf(streams), timestamp(root));
  }

  private static long timestamp(JsonNode root) {
    JsonNode timestamp = root.get("timestamp");
    return timestamp == null ? 0 : timestamp.asLong(0);
  }
}
