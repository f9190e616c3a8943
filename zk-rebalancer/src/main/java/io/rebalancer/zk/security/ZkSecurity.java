package io.rebalancer.zk.security;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * TLS, logins and ACLs of a ZooKeeper client. Everything is of this client: no system property is
 * set. What is not given here ZooKeeper's client takes from the system properties of the same
 * names, as ever. docs/security.md lists the keys.
 *
 * @param clientProperties under ZooKeeper's names, such as {@code zookeeper.client.secure}; they
 *     may hold passwords
 * @param digest {@code USER:PASSWORD} of a digest login; empty for none
 * @param setAcl {@code zookeeper.set.acl}: what it creates, but for the registration and what is
 *     above that, is its creator's alone, and readable by all. Default false: as the original
 *     without a JAAS login, everything is open
 */
public record ZkSecurity(Map<String, String> clientProperties, String digest, boolean setAcl) {

  private static final ZkSecurity NONE = new ZkSecurity(Map.of(), "", false);

  private static final String NETTY = "org.apache.zookeeper.ClientCnxnSocketNetty";

  public ZkSecurity {
    requireNonNull(digest, "digest");
    clientProperties = Collections.unmodifiableSortedMap(new TreeMap<>(clientProperties));
  }

  /** No TLS, no login but what the JVM's JAAS configuration has for ZooKeeper, open znodes. */
  public static ZkSecurity none() {
    return NONE;
  }

  /** Whether {@link #parse} takes this key, or refuses it as one that is close to its own. */
  public static boolean isKey(String key) {
    return SecurityKey.isOurs(key);
  }

  /**
   * Takes what is about security out of a configuration; leaves other keys aside, and the map as it
   * is.
   *
   * @throws IllegalArgumentException naming every key that is unknown, malformed, or does not fit
   *     the others; no message shows a password
   */
  public static ZkSecurity parse(Map<String, String> configuration) {
    SortedMap<SecurityKey, String> values = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    new TreeMap<>(configuration)
        .forEach(
            (key, value) -> {
              if (isKey(key)) {
                try {
                  SecurityKey known = SecurityKey.of(key);
                  values.put(known, known.translate(value));
                } catch (IllegalArgumentException e) {
                  problems.add(e.getMessage());
                }
              }
            });
    problems.addAll(contradictions(values));
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return of(values);
  }

  private static List<String> contradictions(SortedMap<SecurityKey, String> values) {
    List<String> problems = new ArrayList<>();
    String secure = values.get(SecurityKey.CLIENT_SECURE);
    if (secure == null) {
      values.keySet().stream()
          .filter(key -> key.toString().startsWith("zookeeper.ssl."))
          .findFirst()
          .ifPresent(
              key ->
                  problems.add(
                      key + ": given (expected: " + SecurityKey.CLIENT_SECURE + " beside it)"));
    }
    String socket = values.getOrDefault(SecurityKey.SOCKET, NETTY);
    if ("true".equals(secure) && !socket.equals(NETTY)) {
      problems.add(SecurityKey.SOCKET + ": \"" + socket + "\" (expected: " + NETTY + ", for TLS)");
    }
    return problems;
  }

  private static ZkSecurity of(SortedMap<SecurityKey, String> values) {
    Map<String, String> properties = new TreeMap<>();
    values.forEach(
        (key, value) -> {
          if (!key.property().isEmpty()) {
            properties.put(key.property(), value);
          }
        });
    if ("true".equals(values.get(SecurityKey.CLIENT_SECURE))) {
      properties.put(SecurityKey.SOCKET.property(), NETTY);
    }
    return new ZkSecurity(
        properties,
        values.getOrDefault(SecurityKey.DIGEST, ""),
        Boolean.parseBoolean(values.get(SecurityKey.SET_ACL)));
  }

  /** Shows no password. */
  @Override
  public String toString() {
    String properties =
        clientProperties.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + shown(entry.getKey(), entry.getValue()))
            .collect(joining(", ", "{", "}"));
    return "ZkSecurity[clientProperties="
        + properties
        + ", digest="
        + (digest.isEmpty() ? "" : digestUser() + ":***")
        + ", setAcl="
        + setAcl
        + "]";
  }

  /** Of the digest login; empty for none. */
  public String digestUser() {
    int colon = digest.indexOf(':');
    return colon < 0 ? "" : digest.substring(0, colon);
  }

  private static String shown(String property, String value) {
    return property.endsWith("assword") ? "***" : value;
  }
}
