package io.rebalancer.core.znode;

import java.util.Arrays;
import java.util.List;

/**
 * Where an ensemble is, as ZooKeeper's own client takes it: {@code
 * HOST[:PORT][,HOST[:PORT]...][/chroot]}. What it would understand otherwise than it is meant is
 * refused.
 */
public final class EnsembleAddress {

  private static final String FORM = "HOST:PORT[,HOST:PORT...][/chroot]";

  private EnsembleAddress() {}

  /**
   * Returns {@code text}.
   *
   * @param key that it is the value of, for the message
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static String demand(String key, String text) {
    int slash = text.indexOf('/');
    String hosts = slash < 0 ? text : text.substring(0, slash);
    String chroot = slash < 0 ? "" : text.substring(slash);
    if (hosts.isBlank()) {
      throw refused(key, text, FORM + "; there is no host");
    }
    if (repeatsItsChroot(text)) {
      throw refused(key, text, "the chroot once, at the end: \"" + withChrootAtTheEnd(text) + "\"");
    }
    for (String server : hosts.split(",", -1)) {
      if (!isServer(server)) {
        throw refused(key, text, FORM + "; \"" + server + "\" is no HOST:PORT");
      }
    }
    if (!chroot.isEmpty() && !chroot.equals("/") && !isChroot(chroot)) {
      throw refused(key, text, FORM + "; \"" + chroot + "\" is no path of a znode");
    }
    return text;
  }

  /** Whether the chroot is written behind more than the last host, or not behind the last. */
  public static boolean repeatsItsChroot(String text) {
    int slash = text.indexOf('/');
    return slash >= 0 && text.indexOf(',', slash) >= 0;
  }

  /** What somebody means whose chroot is written behind other hosts than the last. */
  public static String withChrootAtTheEnd(String text) {
    List<String> parts = Arrays.asList(text.split(","));
    String chroot =
        parts.stream()
            .filter(part -> part.indexOf('/') >= 0)
            .map(part -> part.substring(part.indexOf('/')))
            .findFirst()
            .orElse("");
    return String.join(",", parts.stream().map(part -> part.replaceFirst("/.*", "")).toList())
        + chroot;
  }

  private static boolean isServer(String server) {
    if (!server.matches("([^:\\s]+|\\[[0-9a-fA-F:.]+])(:\\d{1,5})?")) {
      return false;
    }
    int colon = server.lastIndexOf(':');
    if (colon < 0 || server.endsWith("]")) {
      return true; // ZooKeeper's default port.
    }
    int port = Integer.parseInt(server.substring(colon + 1));
    return port >= 1 && port <= 65_535;
  }

  private static boolean isChroot(String chroot) {
    return chroot.matches("(/[^/\\s]+)+")
        && Arrays.stream(chroot.split("/"))
            .noneMatch(name -> name.equals(".") || name.equals(".."));
  }

  private static IllegalArgumentException refused(String key, String text, String expected) {
    return new IllegalArgumentException(key + ": \"" + text + "\" (expected: " + expected + ")");
  }
}
