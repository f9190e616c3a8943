package io.rebalancer.core.znode;

import static java.util.stream.Collectors.toCollection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code /brokers/topics/TOPIC}: {@code {"version":1,"partitions":{"0":[1,2]}}}.
 * Consumers use only the partition numbers; the brokers are for who looks at racks.
 */
public final class TopicPayload {

  private static final String PARTITIONS = "partitions";

  /** A set of partitions takes memory by its highest number. */
  private static final int HIGHEST = 9_999_999;

  private TopicPayload() {}

  /** One replica per partition: the sorted brokers in turn, partition i on broker i mod n. */
  public static byte[] encode(int partitions, List<Integer> brokers) {
    if (brokers.isEmpty()) {
      throw new IllegalArgumentException("brokers: none (expected: at least one)");
    }
    List<Integer> sorted = brokers.stream().sorted().collect(toCollection(ArrayList::new));
    ObjectNode root = Json.MAPPER.createObjectNode();
    root.put("version", 1);
    ObjectNode replicas = root.putObject("partitions");
    for (int partition = 0; partition < partitions; partition++) {
      ArrayNode list = replicas.putArray(Integer.toString(partition));
      list.add(sorted.get(partition % sorted.size()));
    }
    return Json.write(root);
  }

  /** The same topic with more partitions; the replicas of those it has stay. */
  public static byte[] extend(
      String path, byte @Nullable [] payload, int partitions, List<Integer> brokers) {
    ObjectNode root = (ObjectNode) Json.readObject(path, payload, JsonDialect.KAFKA_1_1);
    ObjectNode replicas = root.withObject("/partitions");
    JsonNode all =
        Json.readObject(path, encode(partitions, brokers), JsonDialect.KAFKA_1_1).get("partitions");
    for (var entry : all.properties()) {
      if (!replicas.has(entry.getKey())) {
        replicas.set(entry.getKey(), entry.getValue());
      }
    }
    return Json.write(root);
  }

  /** As kafka 1.1 reads it. */
  public static PartitionSet partitions(String path, byte @Nullable [] payload) {
    return partitions(path, payload, JsonDialect.KAFKA_1_1);
  }

  /**
   * The partition numbers. As with the originals, a payload that is no JSON or has no partitions is
   * a topic without partitions, and no error, and {@code 01} is partition 1. Unlike them it takes
   * no negative number, and none beyond {@value #HIGHEST}.
   *
   * @throws BadPayloadException if it is JSON, and not an object of an object, if a partition's key
   *     is no number, if its replicas are no list of brokers (kafka 0.8 does not look), or a number
   *     is one that the dialect cannot read
   */
  public static PartitionSet partitions(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    BitSet numbers = new BitSet();
    for (Map.Entry<String, JsonNode> entry : entries(path, payload, dialect)) {
      numbers.set(number(path, payload, entry.getKey()));
    }
    return PartitionSet.of(numbers.stream().toArray());
  }

  private static Set<Map.Entry<String, JsonNode>> entries(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    Optional<JsonNode> root = Json.readIfJson(path, payload, dialect);
    if (root.isEmpty() || !root.get().has(PARTITIONS)) {
      return Set.of();
    }
    JsonNode partitions = root.get().get(PARTITIONS);
    if (!partitions.isObject()) {
      throw new BadPayloadException(path, Json.text(payload), "an object of partitions");
    }
    for (Map.Entry<String, JsonNode> entry : partitions.properties()) {
      if (dialect != JsonDialect.KAFKA_0_8 && !isBrokerList(entry.getValue())) {
        throw new BadPayloadException(
            path, Json.text(payload), "a list of brokers for partition " + entry.getKey());
      }
    }
    return partitions.properties();
  }

  /**
   * By partition number, the ids of the brokers that have replicas; none for a number between that
   * is no partition's. Equal lists are one.
   *
   * @throws BadPayloadException as {@link #partitions}
   */
  public static List<List<Integer>> replicas(String path, byte @Nullable [] payload) {
    List<List<Integer>> replicas = new ArrayList<>();
    Map<List<Integer>, List<Integer>> equal = new HashMap<>();
    for (var entry : entries(path, payload, JsonDialect.KAFKA_1_1)) {
      List<Integer> brokers = new ArrayList<>();
      entry.getValue().forEach(broker -> brokers.add(broker.intValue()));
      int partition = number(path, payload, entry.getKey());
      while (replicas.size() <= partition) {
        replicas.add(List.of());
      }
      replicas.set(partition, equal.computeIfAbsent(List.copyOf(brokers), same -> same));
    }
    return replicas;
  }

  /**
   * For those who look for what is wrong: the partition numbers, and an error where the originals
   * take a payload that they cannot use for a topic without partitions.
   *
   * @throws BadPayloadException as {@link #partitions}, and for what is no JSON or has no
   *     partitions
   */
  public static PartitionSet demandPartitions(String path, byte @Nullable [] payload) {
    Optional<JsonNode> root = JsonDialect.KAFKA_1_1.parse(path, Json.text(payload));
    if (root.isEmpty()) {
      throw new BadPayloadException(path, Json.text(payload), "JSON");
    }
    if (!root.get().has(PARTITIONS)) {
      throw new BadPayloadException(path, Json.text(payload), "an object with partitions");
    }
    return partitions(path, payload);
  }

  private static boolean isBrokerList(JsonNode replicas) {
    if (!replicas.isArray()) {
      return false;
    }
    for (JsonNode replica : replicas) {
      if (!replica.isInt()) {
        return false;
      }
    }
    return true;
  }

  private static int number(String path, byte @Nullable [] payload, String key) {
    try {
      int number = Integer.parseInt(key);
      if (number >= 0 && number <= HIGHEST) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told of below.
    }
    throw new BadPayloadException(
        path,
        Json.text(payload),
        "partition numbers from 0 to " + HIGHEST + ", not \"" + key + "\"");
  }

  /**
   * What a reader that goes on in spite of bad input makes of a payload.
   *
   * @param partitions those whose key is a plain number
   * @param ignored the other keys
   */
  public record Readable(PartitionSet partitions, List<String> ignored) {
    public Readable {
      ignored = List.copyOf(ignored);
    }
  }

  /** Never fails. Whatever is no object with an object of partitions in it has no partitions. */
  public static Readable readable(String path, byte @Nullable [] payload) {
    BitSet numbers = new BitSet();
    List<String> ignored = new ArrayList<>();
    JsonDialect.KAFKA_1_1
        .parse(path, Json.text(payload))
        .map(root -> root.path(PARTITIONS).properties())
        .orElse(Set.of())
        .forEach(
            entry -> {
              if (entry.getKey().matches("0|[1-9]\\d{0,6}")) {
                numbers.set(Integer.parseInt(entry.getKey()));
              } else {
                ignored.add(entry.getKey());
              }
            });
    return new Readable(PartitionSet.of(numbers.stream().toArray()), ignored);
  }
}
