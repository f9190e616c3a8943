package io.rebalancer.core.model;

import static java.util.Objects.requireNonNull;

/**
 * What the originals allow in the name of a group or topic, which becomes part of a znode path:
 * ASCII letters, digits, '.', '_' and '-' (kafka 0.8-1.1, {@code Config.validateChars} and {@code
 * Topic.validate}). "." and "..", which ZooKeeper takes for relative paths, are no names.
 */
public final class LegalName {

  /** As of a topic in kafka 0.8 and 0.9; later releases allow 249. */
  private static final int LONGEST = 255;

  private static final String EXPECTED =
      "ASCII alphanumerics, '.', '_' and '-', at most " + LONGEST + " of them";

  private LegalName() {}

  /**
   * Returns {@code name}.
   *
   * @param what {@code group} or {@code topic}, for the message
   * @throws IllegalArgumentException naming the first bad character and its position, from 1
   */
  public static String demand(String what, String name) {
    requireNonNull(name, what);
    for (int i = 0; i < name.length(); i++) {
      if (!isLegal(name.charAt(i))) {
        throw refused(
            what, name, EXPECTED + "; " + shown(name.charAt(i)) + " at position " + (i + 1));
      }
    }
    if (name.isEmpty()) {
      throw refused(what, name, EXPECTED + "; it is empty");
    }
    if (name.equals(".") || name.equals("..")) {
      throw refused(what, name, EXPECTED + "; not \".\" or \"..\"");
    }
    if (name.length() > LONGEST) {
      throw refused(what, name, EXPECTED + "; it has " + name.length());
    }
    return name;
  }

  private static IllegalArgumentException refused(String what, String name, String expected) {
    String cut = name.length() > LONGEST ? name.substring(0, LONGEST) + "..." : name;
    return new IllegalArgumentException(what + ": \"" + cut + "\" (expected: " + expected + ")");
  }

  private static String shown(char c) {
    return Character.isISOControl(c) || Character.isSurrogate(c)
        ? "\\u%04x".formatted((int) c)
        : "'" + c + "'";
  }

  private static boolean isLegal(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }
}
