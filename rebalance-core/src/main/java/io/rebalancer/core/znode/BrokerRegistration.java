package io.rebalancer.core.znode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * The payload of {@code /brokers/ids/BROKER}, in the version 4 that kafka 0.10.2-1.1 write;
 * versions 1 to 5 are read.
 *
 * @param standIn written by us in place of a real broker: marked with a field {@code standin},
 *     which the originals ignore
 */
public record BrokerRegistration(String host, int port, long timestampMs, boolean standIn) {

  public byte[] encode() {
    ObjectNode root = Json.MAPPER.createObjectNode();
    root.putObject("listener_security_protocol_map").put("PLAINTEXT", "PLAINTEXT");
    root.putArray("endpoints").add("PLAINTEXT://" + host + ":" + port);
    root.put("jmx_port", -1);
    root.put("host", host);
    root.put("timestamp", Long.toString(timestampMs));
    root.put("port", port);
    root.put("version", 4);
    if (standIn) {
      root.put("standin", true);
    }
    return Json.write(root);
  }

  /** As kafka 1.1 reads it. */
  public static BrokerRegistration decode(String path, byte @Nullable [] payload) {
    return decode(path, payload, JsonDialect.KAFKA_1_1);
  }

  /**
   * As with the originals: host may be null (no plaintext listener), port is then -1. Kafka 1.1
   * demands a version, 0.8 a host and a port.
   *
   * @throws BadPayloadException if it is no JSON object, or lacks what is demanded
   */
  public static BrokerRegistration decode(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    JsonNode root = Json.readObject(path, payload, dialect);
    if (dialect == JsonDialect.KAFKA_0_8) {
      if (!root.has("host") || !root.path("port").isInt()) {
        throw new BadPayloadException(path, Json.text(payload), "a broker with host and port");
      }
    } else if (root.path("version").asInt(0) < 1) {
      throw new BadPayloadException(path, Json.text(payload), "a broker with a version >= 1");
    }
    return new BrokerRegistration(
        root.path("host").asText(""),
        root.path("port").asInt(-1),
        root.path("timestamp").asLong(0),
        root.path("standin").asBoolean(false));
  }
}
