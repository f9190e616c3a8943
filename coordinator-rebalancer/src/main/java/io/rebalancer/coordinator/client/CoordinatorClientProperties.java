package io.rebalancer.coordinator.client;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads a {@link CoordinatorClientConfig} from properties with the keys of Kafka's consumer. Keys
 * that are not there have the defaults of {@link CoordinatorClientConfig#of}; those of a consumer
 * that are not about membership have no meaning here, are left out, and {@link #unknown} names
 * them.
 */
public final class CoordinatorClientProperties {

  /** Kafka's classes, whose strategies are known here by their names in the protocol. */
  private static final Map<String, String> CLASSES =
      Map.of(
          "org.apache.kafka.clients.consumer.RangeAssignor", "range",
          "org.apache.kafka.clients.consumer.RoundRobinAssignor", "roundrobin",
          "org.apache.kafka.clients.consumer.StickyAssignor", "sticky",
          "org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "cooperative-sticky");

  private final TreeMap<String, String> left = new TreeMap<>();
  private final List<String> violations = new ArrayList<>();
  private final Set<String> unreadable = new HashSet<>();

  private CoordinatorClientProperties(Map<?, ?> properties) {
    properties.forEach((key, value) -> left.put(String.valueOf(key), String.valueOf(value)));
  }

  /**
   * Values are texts or numbers.
   *
   * @throws IllegalArgumentException that names each violation's key, value and what was expected
   */
  public static CoordinatorClientConfig read(Map<?, ?> properties) {
    return new CoordinatorClientProperties(properties).config();
  }

  /**
   * The keys that {@link #read} leaves out.
   *
   * @throws IllegalArgumentException as {@link #read} does
   */
  public static SortedSet<String> unknown(Map<?, ?> properties) {
    CoordinatorClientProperties keys = new CoordinatorClientProperties(properties);
    keys.config();
    return new TreeSet<>(keys.left.keySet());
  }

  private CoordinatorClientConfig config() {
    List<InetSocketAddress> servers = servers();
    CoordinatorClientConfig defaults =
        CoordinatorClientConfig.of(List.of(InetSocketAddress.createUnresolved("none", 1)));
    Duration session = millis("session.timeout.ms", defaults.sessionTimeout());
    Duration heartbeat = millis("heartbeat.interval.ms", defaults.heartbeatInterval());
    Duration rebalance = millis("max.poll.interval.ms", defaults.rebalanceTimeout());
    Duration request = millis("request.timeout.ms", defaults.requestTimeout());
    Duration backoff = millis("retry.backoff.ms", defaults.retryBackoff());
    Duration most = millis("retry.backoff.max.ms", defaults.retryBackoffMax());
    Duration delay = millis("scheduled.rebalance.max.delay.ms", Duration.ZERO);
    Duration metadataAge = millis("metadata.max.age.ms", defaults.metadataMaxAge());
    boolean excludeInternal = flag("exclude.internal.topics", defaults.excludeInternalTopics());
    String strategy =
        take("partition.assignment.strategy")
            .map(value -> CLASSES.getOrDefault(value, value))
            .orElse(defaults.assignmentStrategy());
    Optional<String> instanceId = take("group.instance.id");
    Optional<String> rack = take("client.rack").filter(name -> !name.isEmpty());
    try {
      CoordinatorClientConfig config =
          new CoordinatorClientConfig(
              servers,
              session,
              heartbeat,
              rebalance,
              request,
              backoff,
              most,
              strategy,
              instanceId,
              delay,
              metadataAge,
              excludeInternal,
              rack);
      if (violations.isEmpty()) {
        return config;
      }
    } catch (BadConfigException e) {
      e.violations().stream().filter(this::isOfWhatWasRead).forEach(violations::add);
    }
    throw new BadConfigException(violations);
  }

  /** Not of a default that stands in for a value that cannot be read. */
  private boolean isOfWhatWasRead(String violation) {
    return unreadable.stream().noneMatch(violation::contains);
  }

  private void cannotRead(String key, String value, String expected) {
    unreadable.add(key);
    violations.add(key + ": \"" + value + "\" (expected: " + expected + ")");
  }

  private Optional<String> take(String key) {
    return Optional.ofNullable(left.remove(key)).map(String::strip);
  }

  /** Looked up at every connection. */
  private List<InetSocketAddress> servers() {
    List<InetSocketAddress> servers = new ArrayList<>();
    for (String each : take("bootstrap.servers").orElse("").split(",", -1)) {
      String address = each.strip();
      if (address.isEmpty()) {
        continue;
      }
      int colon = address.lastIndexOf(':');
      Optional<Integer> port = colon < 1 ? Optional.empty() : port(address.substring(colon + 1));
      if (port.isPresent()) {
        servers.add(InetSocketAddress.createUnresolved(host(address, colon), port.get()));
      } else {
        cannotRead("bootstrap.servers", address, "HOST:PORT");
      }
    }
    return servers;
  }

  /** An IPv6 address stands in brackets. */
  private static String host(String address, int colon) {
    boolean bracketed = address.charAt(0) == '[' && address.charAt(colon - 1) == ']';
    return bracketed ? address.substring(1, colon - 1) : address.substring(0, colon);
  }

  private static Optional<Integer> port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port > 0 && port <= 65_535 ? Optional.of(port) : Optional.empty();
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private boolean flag(String key, boolean otherwise) {
    Optional<String> value = take(key);
    if (value.isEmpty()) {
      return otherwise;
    }
    boolean yes = value.get().equalsIgnoreCase("true");
    if (!yes && !value.get().equalsIgnoreCase("false")) {
      cannotRead(key, value.get(), "true or false");
    }
    return yes;
  }

  private Duration millis(String key, Duration otherwise) {
    Optional<String> value = take(key);
    try {
      return value.map(text -> Duration.ofMillis(Long.parseLong(text))).orElse(otherwise);
    } catch (NumberFormatException e) {
      cannotRead(key, value.orElse(""), "a number of milliseconds");
      return otherwise;
    }
  }
}
