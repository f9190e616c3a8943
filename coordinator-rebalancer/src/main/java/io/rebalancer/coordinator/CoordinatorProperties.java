package io.rebalancer.coordinator;

import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a {@link CoordinatorConfig} from properties with Kafka's keys. Keys that are not there have
 * the defaults of {@link CoordinatorConfig#of}; keys that are not known are warned of and left out,
 * as a broker does with its own file.
 */
public final class CoordinatorProperties {

  public static final String ZOOKEEPER_CONNECT = "zookeeper.connect";
  public static final String LISTENERS = "listeners";
  public static final String ADVERTISED_LISTENERS = "advertised.listeners";
  public static final String NODE_ID = "node.id";

  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorProperties.class);

  /** The one security protocol that is served. */
  private static final String PLAINTEXT = "PLAINTEXT://";

  private static final HostPort LISTEN = new HostPort("127.0.0.1", 9092);

  private final Properties left = new Properties();

  private CoordinatorProperties(Properties properties) {
    properties.stringPropertyNames().forEach(key -> left.put(key, properties.getProperty(key)));
  }

  /**
   * One listener, as HOST:PORT or PLAINTEXT://HOST:PORT; 127.0.0.1:9092 where there is none.
   *
   * @throws IllegalArgumentException that names the key, its value and what was expected
   */
  public static CoordinatorConfig read(Properties properties) {
    CoordinatorProperties keys = new CoordinatorProperties(properties);
    CoordinatorConfig defaults =
        CoordinatorConfig.of(
            keys.take(ZOOKEEPER_CONNECT)
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            ZOOKEEPER_CONNECT + ": missing (expected: HOST:PORT[/chroot])")),
            keys.address(LISTENERS).orElse(LISTEN));
    Optional<HostPort> advertised = keys.address(ADVERTISED_LISTENERS);
    if (advertised.isPresent() && advertised.get().port() == 0) {
      throw new IllegalArgumentException(
          ADVERTISED_LISTENERS + ": " + advertised.get() + " (expected: a port above 0)");
    }
    CoordinatorConfig config =
        new CoordinatorConfig(
            defaults.zookeeperConnect(),
            defaults.listen(),
            advertised,
            keys.number(NODE_ID, defaults.nodeId()),
            keys.millis("zookeeper.session.timeout.ms", defaults.zookeeperSessionTimeout()),
            keys.millis("zookeeper.connection.timeout.ms", defaults.zookeeperConnectionTimeout()),
            keys.millis("group.initial.rebalance.delay.ms", defaults.groupInitialRebalanceDelay()),
            keys.millis("group.min.session.timeout.ms", defaults.groupMinSessionTimeout()),
            keys.millis("group.max.session.timeout.ms", defaults.groupMaxSessionTimeout()),
            keys.number("group.max.size", defaults.groupMaxSize()),
            keys.number("offset.metadata.max.bytes", defaults.offsetMetadataMaxBytes()),
            keys.number("socket.request.max.bytes", defaults.socketRequestMaxBytes()));
    if (!keys.left.isEmpty()) {
      LOG.warn("keys that are not known are left out: {}", new TreeSet<>(keys.left.keySet()));
    }
    return config;
  }

  private Optional<String> take(String key) {
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
