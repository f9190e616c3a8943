package io.rebalancer.coordinator.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DelayState} as the user data of assignments and subscriptions: {@code
 * {"format":1,"generation":7,"delayMs":9000,"parked":[{"instance":"","member":"c2","partitions":
 * {"t":"4-5"}}],"given":{"t":"1-3,6"}}}; in a subscription also {@code "member"}, the client id of
 * who sends it. An assignment has no generation: it is of the one that brings it.
 */
final class DelayData {

  private static final int FORMAT = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What a subscription says; {@code name} is empty when it does not say it. */
  record Said(String name, DelayState state) {
    static final Said NOTHING = new Said("", DelayState.NONE);
  }

  private DelayData() {}

  static byte[] ofAssignment(DelayState state) {
    return bytes(write(state));
  }

  static byte[] ofSubscription(String name, DelayState state) {
    return bytes(write(state).put("member", name).put("generation", state.generation()));
  }

  private static byte[] bytes(ObjectNode root) {
    return root.toString().getBytes(UTF_8);
  }

  private static ObjectNode write(DelayState state) {
    ObjectNode root = MAPPER.createObjectNode().put("format", FORMAT);
    root.put("delayMs", state.delayMs());
    ArrayNode parked = root.putArray("parked");
    for (Parked each : state.parked()) {
      ObjectNode node =
          parked.addObject().put("instance", each.instanceId()).put("member", each.name());
      write(node.putObject("partitions"), each.partitions());
    }
    write(root.putObject("given"), state.given());
    return root;
  }

  private static void write(ObjectNode node, Assignment partitions) {
    partitions.topics().forEach((topic, set) -> node.put(topic, set.toString()));
  }

  /** No bytes say nothing. Throws {@link RuntimeException} for bytes that are something else. */
  static Said read(@Nullable ByteBuffer userData) {
    if (userData == null || !userData.hasRemaining()) {
      return Said.NOTHING;
    }
    byte[] bytes = new byte[userData.remaining()];
    userData.duplicate().get(bytes);
    JsonNode root = parse(bytes);
    if (root == null || root.path("format").asInt() < FORMAT) {
      throw new IllegalArgumentException("user data without a format");
    }
    List<Parked> parked = new ArrayList<>();
    for (JsonNode each : root.path("parked")) {
      parked.add(
          new Parked(
              each.path("instance").asText(),
              each.path("member").asText(),
              partitions(each.path("partitions"))));
    }
    return new Said(
        root.path("member").asText(),
        new DelayState(
            root.path("generation").asInt(MemberState.NO_GENERATION),
            Math.max(0, root.path("delayMs").asLong()),
            parked,
            partitions(root.path("given"))));
  }

  private static @Nullable JsonNode parse(byte[] bytes) {
    try {
      return MAPPER.readTree(bytes);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("user data that is not JSON", e);
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory", e);
    }
  }

  private static Assignment partitions(JsonNode node) {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    node.properties()
        .forEach(
            entry -> topics.put(entry.getKey(), PartitionSet.parse(entry.getValue().asText())));
    return new Assignment(topics);
  }
}
