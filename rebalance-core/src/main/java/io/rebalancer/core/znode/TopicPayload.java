package io.rebalancer.core.znode;

import static java.util.stream.Collectors.toCollection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code /brokers/topics/TOPIC}: {@code {"version":1,"partitions":{"0":[1,2]}}}.
 * Consumers use only the partition numbers.
 */
public final class TopicPayload {

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
   * The partition numbers. As with the originals, a payload that cannot be parsed or has no
   * partitions is a topic without partitions, and no error.
   *
   * @throws BadPayloadException if a partition's key is not a number >= 0, or a number is one that
   *     the dialect cannot read
   */
  public static PartitionSet partitions(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    Optional<JsonNode> root = Json.readIfObject(path, payload, dialect);
    if (root.isEmpty()) {
      return PartitionSet.empty();
    }
    BitSet numbers = new BitSet();
    for (var entry : root.get().path("partitions").properties()) {
      try {
        numbers.set(Integer.parseInt(entry.getKey()));
      } catch (NumberFormatException | IndexOutOfBoundsException e) {
        throw new BadPayloadException(
            path, Json.text(payload), "a partition number, not \"" + entry.getKey() + "\"");
      }
    }
    return PartitionSet.of(numbers.stream().toArray());
  }
}
