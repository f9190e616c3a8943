package io.rebalancer.core.znode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
   * As with the originals, fields that are not known do no harm, and versions beyond 5 are read
   * like those below. Kafka 0.8 demands a host, which may be null, and a port. 1.1 demands a
   * version, a jmx_port, in version 1 a host and a port, and from version 2 on endpoints, whose
   * listeners have to be security protocols or be mapped to some; the first endpoint stands for the
   * broker where host is null (no plaintext listener).
   *
   * @throws BadPayloadException if it is no JSON object, or lacks what is demanded
   */
  public static BrokerRegistration decode(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    JsonNode root = Json.readObject(path, payload, dialect);
    Demands demands = new Demands(path, Json.text(payload), root);
    String host = root.path("host").asText("");
    int port = root.path("port").asInt(-1);
    if (dialect == JsonDialect.KAFKA_0_8) {
      demands.hostAndPort();
    } else {
      int version = demands.number("version");
      demands.number("jmx_port");
      if (version < 1) {
        throw demands.bad("a version >= 1: Unsupported version of broker registration");
      } else if (version == 1) {
        demands.string("host");
        demands.number("port");
      } else {
        List<Endpoint> endpoints = demands.endpoints();
        if (host.isEmpty() && !endpoints.isEmpty()) {
          host = endpoints.get(0).host();
          port = endpoints.get(0).port();
        }
      }
      demands.rack();
    }
    return new BrokerRegistration(
        host, port, root.path("timestamp").asLong(0), root.path("standin").asBoolean(false));
  }

  /**
   * The broker's {@code broker.rack}, which kafka 0.10 and later write; empty where it has none.
   *
   * @throws BadPayloadException if the payload is no JSON object, or its rack no string
   */
  public static Optional<String> rack(String path, byte @Nullable [] payload) {
    JsonNode root = Json.readObject(path, payload, JsonDialect.KAFKA_1_1);
    new Demands(path, Json.text(payload), root).rack();
    return Optional.of(root.path("rack").asText("")).filter(rack -> !rack.isEmpty());
  }

  private record Endpoint(String host, int port) {}

  /** What a payload must have; the end of each message is kafka 1.1's own. */
  private record Demands(String path, String text, JsonNode root) {

    private static final List<String> PROTOCOLS =
        List.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    /** Kafka 1.1, {@code EndPoint.createEndPoint}. */
    private static final Pattern ENDPOINT =
        Pattern.compile("(.*)://\\[?([0-9a-zA-Z\\-%._:]*)]?:(-?[0-9]{1,9})");

    BadPayloadException bad(String expected) {
      return new BadPayloadException(path, text, expected);
    }

    private JsonNode field(String name) {
      JsonNode field = root.get(name);
      if (field == null) {
        throw bad("a broker with \"" + name + "\": No such field exists: `" + name + "`");
      }
      return field;
    }

    int number(String name) {
      JsonNode field = field(name);
      if (!field.isInt()) {
        throw bad("an int \"" + name + "\": Expected `Int` value, received " + field);
      }
      return field.intValue();
    }

    void string(String name) {
      JsonNode field = field(name);
      if (!field.isTextual()) {
        throw bad("a string \"" + name + "\": Expected `String` value, received " + field);
      }
    }

    void hostAndPort() {
      JsonNode host = field("host");
      if (!host.isTextual() && !host.isNull()) {
        throw bad("a broker whose \"host\" is a string or null");
      }
      number("port");
    }

    void rack() {
      if (!root.path("rack").isNull() && root.has("rack")) {
        string("rack");
      }
    }

    List<Endpoint> endpoints() {
      JsonNode listed = field("endpoints");
      if (!listed.isArray()) {
        throw bad("\"endpoints\" in a list: Expected JSON array, received " + listed);
      }
      Set<String> listeners = listeners();
      List<Endpoint> endpoints = new ArrayList<>();
      for (JsonNode element : listed) {
        Matcher endpoint = ENDPOINT.matcher(element.asText());
        if (!element.isTextual() || !endpoint.matches()) {
          throw bad(
              "LISTENER://HOST:PORT: Unable to parse "
                  + element.asText()
                  + " to a broker endpoint");
        }
        String listener = endpoint.group(1).toUpperCase(Locale.ROOT);
        if (!listeners.contains(listener)) {
          throw bad(
              "listeners with protocols: No security protocol defined for listener " + listener);
        }
        endpoints.add(new Endpoint(endpoint.group(2), Integer.parseInt(endpoint.group(3))));
      }
      return endpoints;
    }

    private Set<String> listeners() {
      JsonNode map = root.get("listener_security_protocol_map");
      if (map == null) {
        return Set.copyOf(PROTOCOLS);
      }
      Set<String> listeners = new HashSet<>();
      for (Map.Entry<String, JsonNode> entry : map.properties()) {
        if (!PROTOCOLS.contains(entry.getValue().asText().toUpperCase(Locale.ROOT))) {
          throw bad("a security protocol for listener " + entry.getKey() + ", of " + PROTOCOLS);
        }
        listeners.add(entry.getKey());
      }
      return listeners;
    }
  }
}
