package io.rebalancer.core.znode;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/** The payload of {@code /consumers/GROUP/offsets/TOPIC/PARTITION}: a decimal, which may be -1. */
public final class OffsetPayload {

  private OffsetPayload() {}

  public static byte[] encode(long offset) {
    return Long.toString(offset).getBytes(UTF_8);
  }

  /**
   * Reads a decimal.
   *
   * @throws BadPayloadException for anything else
   */
  public static long decode(String path, byte @Nullable [] payload) {
    String text = Json.text(payload);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new BadPayloadException(path, text, "a decimal offset");
    }
  }
}
