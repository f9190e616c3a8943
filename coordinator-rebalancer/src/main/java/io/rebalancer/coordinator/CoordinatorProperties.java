package io.rebalancer.coordinator;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads a {@link CoordinatorConfig} from properties with Kafka's keys. Keys that are not there have
 * the defaults of {@link CoordinatorConfig#of}. A key that is probably a misspelling of one of
 * these is refused, and so is any other behind {@code groups.G.}. The rest is left out, so that a
 * broker's own file can be used, and {@link #unknown} names it.
 */
public final class CoordinatorProperties {

  public static final String ZOOKEEPER_CONNECT = "zookeeper.connect";
  public static final String LISTENERS = "listeners";
  public static final String ADVERTISED_LISTENERS = "advertised.listeners";
  public static final String NODE_ID = "node.id";

  /** Keys that may stand behind {@code groups.G.}, too. */
  private static final List<String> GROUP_KEYS =
      List.of(
          GroupAssignmentConfig.ASSIGNMENT,
          GroupAssignmentConfig.ASSIGNOR,
          GroupAssignmentConfig.MAX_DELAY);

  private static final String GROUPS = "groups.";

  /** The one security protocol that is served. */
  private static final String PLAINTEXT = "PLAINTEXT://";

  private static final HostPort LISTEN = new HostPort("127.0.0.1", 9092);

  private final Properties left = new Properties();
  private final SortedSet<String> known = new TreeSet<>();

  private CoordinatorProperties(Properties properties) {
    properties.stringPropertyNames().forEach(key -> left.put(key, properties.getProperty(key)));
  }

  /**
   * One listener, as HOST:PORT or PLAINTEXT://HOST:PORT; 127.0.0.1:9092 where there is none.
   *
   * @throws IllegalArgumentException that names the key, its value and what was expected
   */
  public static CoordinatorConfig read(Properties properties) {
    return new CoordinatorProperties(properties).config();
  }

  /**
   * The keys that {@link #read} leaves out.
   *
   * @throws IllegalArgumentException as {@link #read} does
   */
  public static SortedSet<String> unknown(Properties properties) {
    CoordinatorProperties keys = new CoordinatorProperties(properties);
    keys.config();
    return new TreeSet<>(keys.left.stringPropertyNames());
  }

  private CoordinatorConfig config() {
    CoordinatorConfig defaults =
        CoordinatorConfig.of(
            take(ZOOKEEPER_CONNECT)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            ZOOKEEPER_CONNECT + ": missing (expected: HOST:PORT[/chroot])")),
            address(LISTENERS).orElse(LISTEN));
    Optional<HostPort> advertised = address(ADVERTISED_LISTENERS);
    if (advertised.isPresent() && advertised.get().port() == 0) {
      throw new IllegalArgumentException(
          ADVERTISED_LISTENERS + ": " + advertised.get() + " (expected: a port above 0)");
    }
    GroupAssignmentConfig assignment = assignment("", defaults.groupAssignment());
    CoordinatorConfig config = config(defaults, advertised, assignment);
    config.told(config.listen().port());
    left.stringPropertyNames().stream().sorted().forEach(this::refuseIfMisspelt);
    return config;
  }

  private void refuseIfMisspelt(String key) {
    Optional<String> meant =
        key.startsWith(GROUPS)
            ? Optional.of(GROUPS + "G." + NearestKey.toEnd(key, GROUP_KEYS))
            : NearestKey.to(key, known);
    if (meant.isPresent()) {
      throw new IllegalArgumentException(key + ": unknown (expected: " + meant.get() + ")");
    }
  }

  private CoordinatorConfig config(
      CoordinatorConfig defaults, Optional<HostPort> advertised, GroupAssignmentConfig assignment) {
    return new CoordinatorConfig(
        defaults.zookeeperConnect(),
        defaults.listen(),
        advertised,
        number(NODE_ID, defaults.nodeId()),
        millis("zookeeper.session.timeout.ms", defaults.zookeeperSessionTimeout()),
        millis("zookeeper.connection.timeout.ms", defaults.zookeeperConnectionTimeout()),
        millis("group.initial.rebalance.delay.ms", defaults.groupInitialRebalanceDelay()),
        millis("group.min.session.timeout.ms", defaults.groupMinSessionTimeout()),
        millis("group.max.session.timeout.ms", defaults.groupMaxSessionTimeout()),
        number("group.max.size", defaults.groupMaxSize()),
        number("offset.metadata.max.bytes", defaults.offsetMetadataMaxBytes()),
        Duration.ofMinutes(
            number("offsets.retention.minutes", (int) defaults.offsetsRetention().toMinutes())),
        millis("offsets.retention.check.interval.ms", defaults.offsetsRetentionCheckInterval()),
        number("socket.request.max.bytes", defaults.socketRequestMaxBytes()),
        millis("connections.max.idle.ms", defaults.connectionsMaxIdle()),
        assignment,
        groups(assignment));
  }

  /** {@code groups.G.} before a key is for group G alone. */
  private Map<String, GroupAssignmentConfig> groups(GroupAssignmentConfig defaults) {
    Map<String, GroupAssignmentConfig> groups = new TreeMap<>();
    for (String key : new TreeSet<>(left.stringPropertyNames())) {
      GROUP_KEYS.stream()
          .filter(end -> key.startsWith(GROUPS) && key.endsWith("." + end))
          .map(end -> key.substring(GROUPS.length(), key.length() - end.length() - 1))
          .filter(group -> !group.isEmpty())
          .forEach(group -> groups.computeIfAbsent(group, g -> group(g, defaults)));
    }
    return groups;
  }

  private GroupAssignmentConfig group(String group, GroupAssignmentConfig defaults) {
    try {
      return assignment(GROUPS + group + ".", defaults);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("group " + group + ": " + e.getMessage(), e);
    }
  }

  /** Where a group is made classic, the delay that is meant for others is none of its own. */
  private GroupAssignmentConfig assignment(String prefix, GroupAssignmentConfig defaults) {
    boolean server =
        take(prefix + GroupAssignmentConfig.ASSIGNMENT)
            .map(value -> isServer(prefix + GroupAssignmentConfig.ASSIGNMENT, value))
            .orElse(defaults.server());
    return new GroupAssignmentConfig(
        server,
        take(prefix + GroupAssignmentConfig.ASSIGNOR).orElse(defaults.assignor()),
        millis(
            prefix + GroupAssignmentConfig.MAX_DELAY,
            server ? defaults.maxDelay() : Duration.ZERO));
  }

  private static boolean isServer(String key, String value) {
    return switch (value) {
      case "server" -> true;
      case "classic" -> false;
      default ->
          throw new IllegalArgumentException(
              key + ": \"" + value + "\" (expected: classic or server)");
    };
  }

  private Optional<String> take(String key) {
    known.add(key);
    return Optional.ofNullable((String) left.remove(key)).map(String::strip);
  }

  private int number(String key, int otherwise) {
    return take(key)
        .map(
            value -> {
              try {
                return Integer.valueOf(value);
              } catch (NumberFormatException e) {
                throw new IllegalArgumentException(
                    key + ": \"" + value + "\" (expected: a number up to 2147483647)", e);
              }
            })
        .orElse(otherwise);
  }

  private Duration millis(String key, Duration otherwise) {
    return Duration.ofMillis(number(key, (int) otherwise.toMillis()));
  }

  private Optional<HostPort> address(String key) {
    return take(key)
        .map(
            value -> {
              try {
                return HostPort.parse(
                    value.startsWith(PLAINTEXT) ? value.substring(PLAINTEXT.length()) : value);
              } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                    key + ": \"" + value + "\" (expected: one HOST:PORT or PLAINTEXT://HOST:PORT)",
                    e);
              }
            });
  }
}
