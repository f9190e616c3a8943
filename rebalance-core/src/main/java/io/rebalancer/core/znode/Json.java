package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one mapper of the historical payloads: UTF-8, no spaces, fields in the order they are put.
 */
final class Json {

  static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static String text(byte @Nullable [] payload) {
    return payload == null ? "" : new String(payload, UTF_8);
  }

  static byte[] write(ObjectNode node) {
    return node.toString().getBytes(UTF_8);
  }

  /** Throws {@link BadPayloadException} for anything but a JSON object. */
  static JsonNode readObject(String path, byte @Nullable [] payload, JsonDialect dialect) {
    return readIfJson(path, payload, dialect)
        .orElseThrow(() -> new BadPayloadException(path, text(payload), "a JSON object"));
  }

  /**
   * Empty for what is no JSON; throws {@link BadPayloadException} for JSON that is no object, as
   * the dialect sees it.
   */
  static Optional<JsonNode> readIfJson(
      String path, byte @Nullable [] payload, JsonDialect dialect) {
    Optional<JsonNode> root = dialect.parse(path, text(payload));
    if (root.isPresent() && !root.get().isObject()) {
      throw new BadPayloadException(path, text(payload), "a JSON object");
    }
    return root;
  }
}
