package io.rebalancer.zk.security;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * A key of the configuration, and the property of ZooKeeper's client that it stands for. Those of
 * TLS are named as kafka 2.4-3.9 names them for its brokers (KIP-515); the others are ZooKeeper's,
 * but for the last two: the ACL switch is a broker's, the digest login is ours.
 */
enum SecurityKey {
  CLIENT_SECURE("zookeeper.ssl.client.enable", "zookeeper.client.secure", Kind.FLAG),
  SOCKET("zookeeper.clientCnxnSocket", "zookeeper.clientCnxnSocket", Kind.TEXT),
  KEYSTORE("zookeeper.ssl.keystore.location", "zookeeper.ssl.keyStore.location", Kind.TEXT),
  KEYSTORE_PASSWORD(
      "zookeeper.ssl.keystore.password", "zookeeper.ssl.keyStore.password", Kind.SECRET),
  KEYSTORE_TYPE("zookeeper.ssl.keystore.type", "zookeeper.ssl.keyStore.type", Kind.TEXT),
  TRUSTSTORE("zookeeper.ssl.truststore.location", "zookeeper.ssl.trustStore.location", Kind.TEXT),
  TRUSTSTORE_PASSWORD(
      "zookeeper.ssl.truststore.password", "zookeeper.ssl.trustStore.password", Kind.SECRET),
  TRUSTSTORE_TYPE("zookeeper.ssl.truststore.type", "zookeeper.ssl.trustStore.type", Kind.TEXT),
  PROTOCOL("zookeeper.ssl.protocol", "zookeeper.ssl.protocol", Kind.TEXT),
  ENABLED_PROTOCOLS("zookeeper.ssl.enabled.protocols", "zookeeper.ssl.enabledProtocols", Kind.TEXT),
  CIPHER_SUITES("zookeeper.ssl.cipher.suites", "zookeeper.ssl.ciphersuites", Kind.TEXT),
  ENDPOINT_IDENTIFICATION(
      "zookeeper.ssl.endpoint.identification.algorithm",
      "zookeeper.ssl.hostnameVerification",
      Kind.HTTPS_OR_EMPTY),
  CRL("zookeeper.ssl.crl.enable", "zookeeper.ssl.crl", Kind.FLAG),
  OCSP("zookeeper.ssl.ocsp.enable", "zookeeper.ssl.ocsp", Kind.FLAG),
  SASL("zookeeper.sasl.client", "zookeeper.sasl.client", Kind.FLAG),
  SASL_CONTEXT("zookeeper.sasl.clientconfig", "zookeeper.sasl.clientconfig", Kind.TEXT),
  SASL_USERNAME("zookeeper.sasl.client.username", "zookeeper.sasl.client.username", Kind.TEXT),
  SASL_CANONICALIZE(
      "zookeeper.sasl.client.canonicalize.hostname",
      "zookeeper.sasl.client.canonicalize.hostname",
      Kind.FLAG),
  FIPS("zookeeper.fips-mode", "zookeeper.fips-mode", Kind.FLAG),
  DIGEST("zookeeper.auth.digest", "", Kind.USER_AND_PASSWORD),
  SET_ACL("zookeeper.set.acl", "", Kind.FLAG);

  private static final String[] PREFIXES = {
    "zookeeper.ssl.",
    "zookeeper.sasl.",
    "zookeeper.fips",
    "zookeeper.auth.",
    "zookeeper.client",
    "zookeeper.set."
  };

  private final String key;
  private final String property;
  private final Kind kind;

  SecurityKey(String key, String property, Kind kind) {
    this.key = key;
    this.property = property;
    this.kind = kind;
  }

  private enum Kind {
    TEXT("a value"),
    FLAG("true or false"),
    HTTPS_OR_EMPTY("https, or nothing for no check of the server's name"),
    SECRET("a password"),
    USER_AND_PASSWORD("USER:PASSWORD");

    private final String expected;

    Kind(String expected) {
      this.expected = expected;
    }

    /** The value for ZooKeeper's client; empty when it is none of this kind. */
    private Optional<String> translate(String value) {
      String trimmed = value.trim();
      return switch (this) {
        case TEXT -> Optional.of(trimmed).filter(text -> !text.isEmpty());
        case FLAG ->
            Optional.of(trimmed.toLowerCase(Locale.ROOT))
                .filter(flag -> flag.equals("true") || flag.equals("false"));
        case HTTPS_OR_EMPTY ->
            trimmed.isEmpty() || trimmed.equalsIgnoreCase("https")
                ? Optional.of(Boolean.toString(!trimmed.isEmpty()))
                : Optional.empty();
        case SECRET -> Optional.of(value).filter(secret -> !secret.isEmpty());
        case USER_AND_PASSWORD -> Optional.of(value).filter(text -> text.matches("(?s)[^:]+:.+"));
      };
    }
  }

  /** The property of ZooKeeper's client; empty when there is none. */
  String property() {
    return property;
  }

  /** Throws {@link IllegalArgumentException} that names the key, and shows no secret. */
  String translate(String value) {
    return kind.translate(value)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    key
                        + ": "
                        + (isSecret() ? "a secret not shown" : '"' + cut(value) + '"')
                        + " (expected: "
                        + kind.expected
                        + ")"));
  }

  boolean isSecret() {
    return kind == Kind.SECRET || kind == Kind.USER_AND_PASSWORD;
  }

  private static String cut(String value) {
    return value.length() <= 100 ? value : value.substring(0, 100) + "...";
  }

  static boolean isOurs(String key) {
    return Arrays.stream(PREFIXES).anyMatch(key::startsWith);
  }

  /** Throws {@link IllegalArgumentException} that names the one that is meant, or all. */
  static SecurityKey of(String key) {
    for (SecurityKey each : values()) {
      if (each.key.equals(key)) {
        return each;
      }
    }
    throw new IllegalArgumentException(key + ": unknown (expected: " + meantBy(key) + ")");
  }

  private static String meantBy(String key) {
    for (SecurityKey each : values()) {
      if (each.key.equalsIgnoreCase(key) || each.property.equalsIgnoreCase(key)) {
        return each.key;
      }
    }
    return Arrays.stream(values()).map(SecurityKey::toString).collect(joining(", "));
  }

  @Override
  public String toString() {
    return key;
  }
}
