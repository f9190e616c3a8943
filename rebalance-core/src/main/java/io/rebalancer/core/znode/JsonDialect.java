package io.rebalancer.core.znode;

import static com.fasterxml.jackson.core.json.JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Optional;

/** How a release of kafka reads JSON. */
public enum JsonDialect {
  /**
   * 0.8.0 to 0.11 (Scala's parser, with a number parser of kafka's own): every number anywhere has
   * to be a 32-bit int, else the document is an error even where an unreadable one is none (D11); a
   * backslash that escapes nothing stands for itself; a document is an object or an array.
   */
  KAFKA_0_8 {
    private final JsonMapper mapper =
        JsonMapper.builder()
            .enable(ALLOW_UNESCAPED_CONTROL_CHARS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    @Override
    Optional<JsonNode> parse(String path, String text) {
      Optional<JsonNode> parsed =
          tree(mapper, withLoneBackslashesDoubled(text)).filter(JsonNode::isContainerNode);
      if (parsed.isPresent() && !hasOnlyInts(parsed.get())) {
        throw new BadPayloadException(path, text, "no number but 32-bit ints, as of kafka 0.8");
      }
      return parsed;
    }
  },
  /**
   * 1.0 and 1.1 (Jackson): what does not parse is tried once more with every backslash doubled,
   * since 0.8.1 wrote them as they were.
   */
  KAFKA_1_1 {
    private final JsonMapper mapper = JsonMapper.builder().build();

    @Override
    Optional<JsonNode> parse(String path, String text) {
      return tree(mapper, text).or(() -> tree(mapper, text.replace("\\", "\\\\")));
    }
  };

  private static final String ESCAPES = "\"\\/bfnrt";

  /** Empty for what is no JSON; throws {@link BadPayloadException} as the release does. */
  abstract Optional<JsonNode> parse(String path, String text);

  private static Optional<JsonNode> tree(JsonMapper mapper, String text) {
    try {
      return Optional.of(mapper.readTree(text)).filter(root -> !root.isMissingNode());
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static boolean hasOnlyInts(JsonNode node) {
    if (node.isNumber()) {
      return node.isInt();
    }
    for (JsonNode child : node) {
      if (!hasOnlyInts(child)) {
        return false;
      }
    }
    return true;
  }

  private static String withLoneBackslashesDoubled(String text) {
    StringBuilder doubled = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      doubled.append(c);
      if (c == '\\') {
        if (isEscape(text, i + 1)) {
          doubled.append(text.charAt(++i));
        } else {
          doubled.append(c);
        }
      }
    }
    return doubled.toString();
  }

  private static boolean isEscape(String text, int at) {
    if (at < text.length() && ESCAPES.indexOf(text.charAt(at)) >= 0) {
      return true;
    }
    return text.regionMatches(at, "u", 0, 1)
        && at + 5 <= text.length()
        && text.substring(at + 1, at + 5).chars().allMatch(c -> Character.digit(c, 16) >= 0);
  }
}
