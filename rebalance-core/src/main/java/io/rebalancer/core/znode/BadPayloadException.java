package io.rebalancer.core.znode;

/**
 * A znode holds something its reader cannot use. The message names the path and shows the payload.
 */
public final class BadPayloadException extends RuntimeException {

  private static final int SHOWN_CHARACTERS = 200;

  private final String path;
  private final String shown;

  public BadPayloadException(String path, String payload, String expected) {
    super(path + ": \"" + shown(payload) + "\" (expected: " + shown(expected) + ")");
    this.path = path;
    this.shown = shown(payload);
  }

  public String path() {
    return path;
  }

  /** The payload as the message shows it: its first 200 characters, on one line. */
  public String shown() {
    return shown;
  }

  /** A foreign text as a message shows it: its first 200 characters, on one line. */
  public static String shown(String payload) {
    boolean isLong = payload.length() > SHOWN_CHARACTERS;
    StringBuilder line = new StringBuilder();
    payload
        .substring(0, isLong ? SHOWN_CHARACTERS : payload.length())
        .chars()
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                line.append("\\u%04x".formatted(c));
              } else {
                line.append((char) c);
              }
            });
    return isLong ? line + "..." : line.toString();
  }
}
