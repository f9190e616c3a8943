package io.rebalancer.coordinator;

import static java.util.Objects.requireNonNull;

import java.util.regex.Pattern;

/** A TCP address as it is written; port 0 is legal for listening only. */
public record HostPort(String host, int port) {

  private static final Pattern NO_HOST = Pattern.compile("[/,\\s]");

  private static final Pattern ANY = Pattern.compile("[0:.]+");

  /** Throws {@link IllegalArgumentException} for what is no host and a port no port can be. */
  public HostPort {
    requireNonNull(host, "host");
    if (host.isEmpty() || NO_HOST.matcher(host).find() || port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "address: \"" + host + ":" + port + "\" (expected: HOST:PORT)");
    }
  }

  /** Whether the host means every interface of a machine: 0.0.0.0 or ::, however it is written. */
  boolean isAnyAddress() {
    return ANY.matcher(host).matches();
  }

  /** Reads HOST:PORT; an IPv6 address stands in brackets. */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    try {
      String host = text.substring(0, Math.max(colon, 0));
      if (host.startsWith("[") && host.endsWith("]")) {
        host = host.substring(1, host.length() - 1);
      }
      return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("address: \"" + text + "\" (expected: HOST:PORT)", e);
    }
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
