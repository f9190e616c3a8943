package io.rebalancer.zk;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import java.time.Duration;
import java.util.Set;

/**
 * The settings of the original consumer, under their original names.
 *
 * @param connect {@code zookeeper.connect}: HOST:PORT[,HOST:PORT...][/chroot]
 * @param profile which story of the original is reproduced; default {@link Profile#V1_1}
 * @param rebalanceMaxRetries {@code rebalance.max.retries}, the number of tries; default 4
 * @param rebalanceBackoff {@code rebalance.backoff.ms}; default 2000 ms
 * @param sessionTimeout {@code zookeeper.session.timeout.ms}; default 6000 ms; the server clamps it
 * @param connectionTimeout {@code zookeeper.connection.timeout.ms}; default the session timeout
 * @param assignmentStrategy {@code partition.assignment.strategy}: range (default) or roundrobin
 * @param excludeInternalTopics {@code exclude.internal.topics}; default true; wildcards only
 * @param strict heals what the original leaves broken, with the same znodes and payloads: goes on
 *     after the last try, believes a claim and deletes an owner node only if its own ZooKeeper
 *     session made it, registers again when its registration is gone, skips one that it cannot
 *     read. Default false: as the original
 */
public record ZkEngineConfig(
    String connect,
    Profile profile,
    int rebalanceMaxRetries,
    Duration rebalanceBackoff,
    Duration sessionTimeout,
    Duration connectionTimeout,
    String assignmentStrategy,
    boolean excludeInternalTopics,
    boolean strict) {

  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

  /** Throws {@link IllegalArgumentException} naming the key and the value. */
  public ZkEngineConfig {
    requireNonNull(profile, "profile");
    if (connect.isBlank()) {
      throw new IllegalArgumentException(
          "zookeeper.connect: \"" + connect + "\" (expected: HOST:PORT[/chroot])");
    }
    if (rebalanceMaxRetries < 1) {
      throw new IllegalArgumentException(
          "rebalance.max.retries: " + rebalanceMaxRetries + " (expected: >= 1)");
    }
    demandMillis("rebalance.backoff.ms", rebalanceBackoff, 0);
    demandMillis("zookeeper.session.timeout.ms", sessionTimeout, 1);
    demandMillis("zookeeper.connection.timeout.ms", connectionTimeout, 1);
    assignor(assignmentStrategy, profile);
  }

  private static void demandMillis(String key, Duration value, long least) {
    if (value.compareTo(Duration.ofMillis(least)) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          key + ": " + value + " (expected: " + least + " to " + LONGEST.toMillis() + " ms)");
    }
  }

  public static ZkEngineConfig defaults(String connect) {
    Duration session = Duration.ofMillis(6_000);
    return new ZkEngineConfig(
        connect, Profile.V1_1, 4, Duration.ofMillis(2_000), session, session, "range", true, false);
  }

  public ZkEngineConfig withProfile(Profile value) {
    return new ZkEngineConfig(
        connect,
        value,
        rebalanceMaxRetries,
        rebalanceBackoff,
        sessionTimeout,
        connectionTimeout,
        assignmentStrategy,
        excludeInternalTopics,
        strict);
  }

  public ZkEngineConfig withRebalance(int maxRetries, Duration backoff) {
    return new ZkEngineConfig(
        connect,
        profile,
        maxRetries,
        backoff,
        sessionTimeout,
        connectionTimeout,
        assignmentStrategy,
        excludeInternalTopics,
        strict);
  }

  /** The connection timeout follows, as its default does. */
  public ZkEngineConfig withSessionTimeout(Duration value) {
    return new ZkEngineConfig(
        connect,
        profile,
        rebalanceMaxRetries,
        rebalanceBackoff,
        value,
        value,
        assignmentStrategy,
        excludeInternalTopics,
        strict);
  }

  public ZkEngineConfig withConnectionTimeout(Duration value) {
    return new ZkEngineConfig(
        connect,
        profile,
        rebalanceMaxRetries,
        rebalanceBackoff,
        sessionTimeout,
        value,
        assignmentStrategy,
        excludeInternalTopics,
        strict);
  }

  public ZkEngineConfig withAssignmentStrategy(String value) {
    return new ZkEngineConfig(
        connect,
        profile,
        rebalanceMaxRetries,
        rebalanceBackoff,
        sessionTimeout,
        connectionTimeout,
        value,
        excludeInternalTopics,
        strict);
  }

  public ZkEngineConfig withExcludeInternalTopics(boolean value) {
    return new ZkEngineConfig(
        connect,
        profile,
        rebalanceMaxRetries,
        rebalanceBackoff,
        sessionTimeout,
        connectionTimeout,
        assignmentStrategy,
        value,
        strict);
  }

  public ZkEngineConfig withStrict(boolean value) {
    return new ZkEngineConfig(
        connect,
        profile,
        rebalanceMaxRetries,
        rebalanceBackoff,
        sessionTimeout,
        connectionTimeout,
        assignmentStrategy,
        excludeInternalTopics,
        value);
  }

  /** How long all tries of one rebalance take at least. */
  Duration allTries() {
    return rebalanceBackoff.multipliedBy(rebalanceMaxRetries);
  }

  Set<String> excludedTopics() {
    return excludeInternalTopics ? profile.internalTopics() : Set.of();
  }

  PartitionAssignor assignor() {
    return assignor(assignmentStrategy, profile);
  }

  private static PartitionAssignor assignor(String strategy, Profile profile) {
    return switch (strategy) {
      case "range" -> new RangeAssignor();
      case "roundrobin" -> new RoundRobinAssignor(profile.roundRobin());
      default ->
          throw new IllegalArgumentException(
              "partition.assignment.strategy: \""
                  + strategy
                  + "\" (expected: range or roundrobin)");
    };
  }
}
