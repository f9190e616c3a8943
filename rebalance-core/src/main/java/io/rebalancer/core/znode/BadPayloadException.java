package io.rebalancer.core.znode;

/**
 * A znode holds something its reader cannot use. The message names the path and shows the payload.
 */
public final class BadPayloadException extends RuntimeException {

  private static final int SHOWN_CHARACTERS = 200;

  public BadPayloadException(String path, String payload, String expected) {
    super(path + ": \"" + cut(payload) + "\" (expected: " + expected + ")");
  }

  private static String cut(String payload) {
    return payload.length() <= SHOWN_CHARACTERS
        ? payload
        : payload.substring(0, SHOWN_CHARACTERS) + "...";
  }
}
