package io.rebalancer.coordinator.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rebalancer.coordinator.runtime.TopicInfo;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.znode.BadPayloadException;
import io.rebalancer.core.znode.TopicPayload;
import io.rebalancer.core.znode.ZnodePaths;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the znode of a topic says.
 *
 * @param replicas by partition number, the ids of the brokers that have one
 */
record TopicNode(TopicInfo info, List<List<Integer>> replicas) {

  private static final Logger LOG = LoggerFactory.getLogger(TopicNode.class);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A payload that cannot be read harms its own topic only. */
  static Optional<TopicNode> decode(String name, byte[] payload) {
    String path = ZnodePaths.topic(name);
    try {
      PartitionSet partitions = TopicPayload.partitions(path, payload);
      if (partitions.isEmpty()) {
        throw new BadPayloadException(path, new String(payload, UTF_8), "partitions");
      }
      return Optional.of(
          new TopicNode(
              new TopicInfo(name, topicId(name, payload), partitions),
              TopicPayload.replicas(path, payload)));
    } catch (BadPayloadException e) {
      LOG.warn("topic ignored: {}", e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Kafka 2.8 and later write the id into the topic's node (base64, {@code topic_id}); others have
   * none, and get one that follows from the name.
   */
  private static UUID topicId(String name, byte[] payload) {
    try {
      JsonNode id = MAPPER.readTree(new String(payload, UTF_8)).path("topic_id");
      if (id.isTextual()) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(id.asText()));
        return new UUID(bytes.getLong(), bytes.getLong());
      }
    } catch (JsonProcessingException | RuntimeException e) {
      LOG.warn("topic {}: its topic_id is no id; one made from its name is used", name);
    }
    return UUID.nameUUIDFromBytes(("rebalancer topic " + name).getBytes(UTF_8));
  }
}
