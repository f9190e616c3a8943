package io.rebalancer.zk;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.engine.OffsetStore;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.zk.runtime.ConsumerIds;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The original's configuration (kafka 0.8-1.1, {@code ConsumerConfig}), read from a map with its
 * keys: same defaults, same demands. Keys that concern fetching records are checked and have no
 * effect here; an unknown key is warned of and ignored, as by the original. Two keys of our own:
 * {@code rebalancer.profile} (see {@link Profile}) and {@code rebalancer.strict}; and those of
 * {@link ZkSecurity}, which the original had as system properties.
 *
 * @param group {@code group.id}; required
 * @param consumerId {@code consumer.id}; default HOST-MILLIS-RANDOM
 * @param clientId {@code client.id}; default the group's name
 */
public record ConsumerProperties(
    GroupId group, String consumerId, String clientId, ZkEngineConfig engine) {

  private static final Logger log = LoggerFactory.getLogger(ConsumerProperties.class);

  private static final List<String> ABOUT_RECORDS =
      List.of(
          "consumer.timeout.ms",
          "offsets.channel.backoff.ms",
          "offsets.channel.socket.timeout.ms",
          "offsets.commit.max.retries",
          "queued.max.message.chunks",
          "num.consumer.fetchers",
          "fetch.message.max.bytes",
          "fetch.min.bytes",
          "fetch.wait.max.ms",
          "fetch.max.bytes",
          "socket.timeout.ms",
          "socket.receive.buffer.bytes",
          "refresh.leader.backoff.ms");

  public ConsumerProperties {
    requireNonNull(group, "group");
    requireNonNull(consumerId, "consumerId");
    requireNonNull(clientId, "clientId");
    requireNonNull(engine, "engine");
  }

  /**
   * Reads {@code properties}, whose keys and values count as text.
   *
   * @throws IllegalArgumentException naming the key, the value and what is expected
   */
  public static ConsumerProperties parse(Map<?, ?> properties) {
    return parse(properties, null);
  }

  /**
   * With an offset store, which {@code offsets.storage=kafka} demands and nothing else uses.
   *
   * @throws IllegalArgumentException naming the key, the value and what is expected
   */
  public static ConsumerProperties parse(Map<?, ?> properties, @Nullable OffsetStore store) {
    Reader reader = new Reader(properties);
    ZkEngineConfig engine = reader.engine();
    String storage = reader.oneOf("offsets.storage", "zookeeper", "kafka");
    if (storage.equals("kafka")) {
      if (store == null) {
        throw bad("offsets.storage", storage, "zookeeper, as no offset store is given");
      }
      engine = engine.withOffsetStore(store);
    }
    String group = reader.demand("group.id", "the group's name");
    ConsumerProperties parsed =
        new ConsumerProperties(
            new GroupId(name("group.id", group)),
            reader.text("consumer.id").orElseGet(ConsumerProperties::generatedId),
            name("client.id", reader.text("client.id").orElse(group)),
            engine);
    reader.checkWhatIsAboutRecords();
    reader.warnOfWhatIsLeft();
    return parsed;
  }

  private static String name(String key, String value) {
    try {
      return new GroupId(value).value();
    } catch (IllegalArgumentException e) {
      throw bad(key, value, "ASCII alphanumerics, '.', '_' and '-'");
    }
  }

  /** A consumer id as the original makes them: HOST-MILLIS-RANDOM. */
  public static String generatedId() {
    return ConsumerIds.generate();
  }

  private static IllegalArgumentException bad(String key, String value, String expected) {
    return new IllegalArgumentException(key + ": \"" + value + "\" (expected: " + expected + ")");
  }

  /** Takes keys out of the map, so that what nobody has asked for is left. */
  private static final class Reader {

    private final SortedMap<String, String> left = new TreeMap<>();

    Reader(Map<?, ?> properties) {
      properties.forEach(
          (key, value) -> {
            if (value == null) {
              throw new IllegalArgumentException(key + ": null (expected: a value)");
            }
            left.put(String.valueOf(key), String.valueOf(value));
          });
    }

    ZkEngineConfig engine() {
      Duration session = millis("zookeeper.session.timeout.ms", 6_000);
      int syncTimeMs = number("zookeeper.sync.time.ms", 2_000);
      return ZkEngineConfig.defaults(demand("zookeeper.connect", "HOST:PORT[/chroot]"))
          .withProfile(Profile.parse(text("rebalancer.profile").orElse("1.1")))
          .withSessionTimeout(session)
          .withConnectionTimeout(
              millis("zookeeper.connection.timeout.ms", Math.toIntExact(session.toMillis())))
          .withRebalance(
              number("rebalance.max.retries", 4), millis("rebalance.backoff.ms", syncTimeMs))
          .withAssignmentStrategy(text("partition.assignment.strategy").orElse("range"))
          .withExcludeInternalTopics(flag("exclude.internal.topics", true))
          .withAutoCommit(
              flag("auto.commit.enable", true), millis("auto.commit.interval.ms", 60_000))
          .withDualCommit(flag("dual.commit.enabled", true))
          .withStrict(flag("rebalancer.strict", false))
          .withSecurity(security());
    }

    ZkSecurity security() {
      ZkSecurity security = ZkSecurity.parse(left);
      left.keySet().removeIf(ZkSecurity::isKey);
      return security;
    }

    Optional<String> text(String key) {
      return Optional.ofNullable(left.remove(key));
    }

    String demand(String key, String expected) {
      return text(key)
          .orElseThrow(
              () -> new IllegalArgumentException(key + ": missing (expected: " + expected + ")"));
    }

    /** Case does not matter; the first is the default. */
    String oneOf(String key, String first, String second) {
      String value = text(key).orElse(first);
      String lower = value.toLowerCase(Locale.ROOT);
      if (!lower.equals(first) && !lower.equals(second)) {
        throw bad(key, value, first + " or " + second);
      }
      return lower;
    }

    boolean flag(String key, boolean otherwise) {
      String value = text(key).orElse(Boolean.toString(otherwise));
      if (!value.equals("true") && !value.equals("false")) {
        throw bad(key, value, "true or false");
      }
      return value.equals("true");
    }

    int number(String key, int otherwise) {
      String value = text(key).orElse(Integer.toString(otherwise));
      try {
        return Integer.parseInt(value);
      } catch (NumberFormatException e) {
        throw bad(key, value, "a number of 32 bits");
      }
    }

    Duration millis(String key, int otherwise) {
      return Duration.ofMillis(number(key, otherwise));
    }

    void checkWhatIsAboutRecords() {
      String reset = text("auto.offset.reset").orElse("largest");
      if (!reset.equals("smallest") && !reset.equals("largest")) {
        throw bad("auto.offset.reset", reset, "smallest or largest");
      }
      int fetchWaitMs = number("fetch.wait.max.ms", 100);
      int socketTimeoutMs = number("socket.timeout.ms", 30_000);
      if (fetchWaitMs > socketTimeoutMs) {
        throw bad(
            "fetch.wait.max.ms",
            Integer.toString(fetchWaitMs),
            "at most socket.timeout.ms, " + socketTimeoutMs);
      }
      ABOUT_RECORDS.forEach(key -> number(key, 0));
    }

    void warnOfWhatIsLeft() {
      left.forEach(
          (key, value) -> {
            if (key.startsWith("rebalancer.")) {
              throw new IllegalArgumentException(
                  key + ": unknown (expected: rebalancer.profile or rebalancer.strict)");
            }
            log.warn("{}: unknown property, ignored", key);
          });
    }
  }
}
