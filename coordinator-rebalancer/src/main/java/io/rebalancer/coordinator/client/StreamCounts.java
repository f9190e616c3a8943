package io.rebalancer.coordinator.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.core.model.Subscription;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The user data of our subscriptions: {@code {"format":1,"streams":{"t":2}}}. Members whose user
 * data is absent or another's (Kafka's own assignors write binary) count one stream for each topic.
 */
final class StreamCounts {

  private static final int FORMAT = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private StreamCounts() {}

  static byte[] encode(Subscription subscription) {
    ObjectNode root = MAPPER.createObjectNode().put("format", FORMAT);
    ObjectNode streams = root.putObject("streams");
    subscription.streams().forEach(streams::put);
    return root.toString().getBytes(UTF_8);
  }

  static Subscription decode(List<String> topics, @Nullable ByteBuffer userData) {
    JsonNode counts = read(userData);
    SortedMap<String, Integer> streams = new TreeMap<>();
    for (String topic : topics) {
      streams.put(topic, Math.max(1, counts.path(topic).asInt(1)));
    }
    return new Subscription(streams);
  }

  private static JsonNode read(@Nullable ByteBuffer userData) {
    if (userData == null || !userData.hasRemaining()) {
      return MAPPER.missingNode();
    }
    byte[] bytes = new byte[userData.remaining()];
    userData.duplicate().get(bytes);
    try {
      JsonNode root = MAPPER.readTree(bytes);
      boolean known = root != null && root.path("format").asInt() >= FORMAT;
      return known ? root.path("streams") : MAPPER.missingNode();
    } catch (JacksonException e) {
      return MAPPER.missingNode(); // Another assignor's bytes.
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory", e);
    }
  }
}
