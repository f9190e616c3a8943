package io.rebalancer.zk;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.assignor.PartitionAssignor;
import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.engine.OffsetStore;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.znode.EnsembleAddress;
import io.rebalancer.zk.registry.Release;
import io.rebalancer.zk.runtime.OffsetRules;
import io.rebalancer.zk.security.ZkSecurity;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the original consumer, under their original names. {@link ConsumerProperties}
 * reads them from a map with the original's keys.
 *
 * @param connect {@code zookeeper.connect}: HOST:PORT[,HOST:PORT...][/chroot]
 * @param profile which story of the original is reproduced; default {@link Profile#V1_1}
 * @param rebalanceMaxRetries {@code rebalance.max.retries}, the number of tries; default 4
 * @param rebalanceBackoff {@code rebalance.backoff.ms}; default 2000 ms
 * @param sessionTimeout {@code zookeeper.session.timeout.ms}; default 6000 ms; the server clamps it
 * @param connectionTimeout {@code zookeeper.connection.timeout.ms}; default the session timeout
 * @param assignmentStrategy {@code partition.assignment.strategy}: range (default) or roundrobin;
 *     kafka 0.8.2 takes any other for range
 * @param excludeInternalTopics {@code exclude.internal.topics}; default true; wildcards only
 * @param autoCommit {@code auto.commit.enable}: positions that the application reports are
 *     committed after each interval, and whenever processing stops for a rebalance or for good;
 *     default true
 * @param autoCommitInterval {@code auto.commit.interval.ms}; default 60,000 ms
 * @param offsetStore where offsets are kept in place of ZooKeeper ({@code offsets.storage=kafka});
 *     default null: ZooKeeper keeps them
 * @param dualCommit {@code dual.commit.enabled}: with an offset store, offsets are written to
 *     ZooKeeper too, and the larger one counts when they are read; default true
 * @param givenPartitions topics with their numbers of partitions, given by the caller in place of
 *     {@code /brokers}, which is then neither read nor watched: for groups that have no brokers.
 *     All members of a group must be given the same. Default empty: as in {@code /brokers}
 * @param strict heals what the original leaves broken, with the same znodes and payloads: goes on
 *     after the last try, believes a claim and deletes an owner node only if its own ZooKeeper
 *     session made it, stops processing before its session can have ended unnoticed, registers
 *     again when its registration is gone, goes on beside what it cannot read, gives back what it
 *     claimed before an exception, commits an offset only while it holds the owner node and only
 *     over what it has seen, lets go of a topic that is deleted, and looks every three session
 *     timeouts for changes that no watch has told of. Default false: as the original
 * @param security TLS, logins and ACLs; default none
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
    boolean autoCommit,
    Duration autoCommitInterval,
    @Nullable OffsetStore offsetStore,
    boolean dualCommit,
    SortedMap<String, Integer> givenPartitions,
    boolean strict,
    ZkSecurity security) {

  private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

  /** Throws {@link IllegalArgumentException} naming the key and the value. */
  public ZkEngineConfig {
    requireNonNull(profile, "profile");
    requireNonNull(security, "security");
    givenPartitions = Collections.unmodifiableSortedMap(new TreeMap<>(givenPartitions));
    EnsembleAddress.demand("zookeeper.connect", connect);
    if (rebalanceMaxRetries < 1) {
      throw new IllegalArgumentException(
          "rebalance.max.retries: " + rebalanceMaxRetries + " (expected: >= 1)");
    }
    demandMillis("rebalance.backoff.ms", rebalanceBackoff, 0);
    demandMillis("zookeeper.session.timeout.ms", sessionTimeout, 1);
    demandMillis("zookeeper.connection.timeout.ms", connectionTimeout, 1);
    demandMillis("auto.commit.interval.ms", autoCommitInterval, 1);
    assignor(assignmentStrategy, profile);
    givenPartitions.forEach(
        (topic, count) -> {
          if (count < 0) {
            throw new IllegalArgumentException(
                "partitions of topic " + topic + ": " + count + " (expected: >= 0)");
          }
        });
  }

  private static void demandMillis(String key, Duration value, long least) {
    if (value.compareTo(Duration.ofMillis(least)) < 0 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          key
              + ": "
              + value.toMillis()
              + " (expected: "
              + least
              + " to "
              + LONGEST.toMillis()
              + " ms)");
    }
  }

  public static ZkEngineConfig defaults(String connect) {
    return new Draft(connect).build();
  }

  public ZkEngineConfig withProfile(Profile value) {
    return with(draft -> draft.profile = value);
  }

  public ZkEngineConfig withRebalance(int maxRetries, Duration backoff) {
    return with(
        draft -> {
          draft.rebalanceMaxRetries = maxRetries;
          draft.rebalanceBackoff = backoff;
        });
  }

  /** The connection timeout follows, as its default does. */
  public ZkEngineConfig withSessionTimeout(Duration value) {
    return with(
        draft -> {
          draft.sessionTimeout = value;
          draft.connectionTimeout = value;
        });
  }

  public ZkEngineConfig withConnectionTimeout(Duration value) {
    return with(draft -> draft.connectionTimeout = value);
  }

  public ZkEngineConfig withAssignmentStrategy(String value) {
    return with(draft -> draft.assignmentStrategy = value);
  }

  public ZkEngineConfig withExcludeInternalTopics(boolean value) {
    return with(draft -> draft.excludeInternalTopics = value);
  }

  public ZkEngineConfig withAutoCommit(boolean enabled, Duration interval) {
    return with(
        draft -> {
          draft.autoCommit = enabled;
          draft.autoCommitInterval = interval;
        });
  }

  public ZkEngineConfig withOffsetStore(OffsetStore value) {
    return with(draft -> draft.offsetStore = requireNonNull(value, "value"));
  }

  public ZkEngineConfig withDualCommit(boolean value) {
    return with(draft -> draft.dualCommit = value);
  }

  public ZkEngineConfig withGivenPartitions(Map<String, Integer> partitions) {
    return with(draft -> draft.givenPartitions = new TreeMap<>(partitions));
  }

  public ZkEngineConfig withStrict(boolean value) {
    return with(draft -> draft.strict = value);
  }

  public ZkEngineConfig withSecurity(ZkSecurity value) {
    return with(draft -> draft.security = value);
  }

  private ZkEngineConfig with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.build();
  }

  /** How long a join waits for its registration; longer than a strict one waits for another's. */
  Duration registrationLimit() {
    return strict ? connectionTimeout.plus(sessionTimeout.multipliedBy(2)) : connectionTimeout;
  }

  /** How often a strict one looks for changes that no watch has told of; zero: never. */
  Duration watchCheck() {
    return strict ? sessionTimeout.multipliedBy(3) : Duration.ZERO;
  }

  /** How long all tries of one rebalance take at least. */
  Duration allTries() {
    return rebalanceBackoff.multipliedBy(rebalanceMaxRetries);
  }

  Set<String> excludedTopics() {
    return excludeInternalTopics ? profile.internalTopics() : Set.of();
  }

  OffsetRules offsets() {
    return new OffsetRules(
        autoCommit, autoCommitInterval, offsetStore == null || dualCommit, offsetStore);
  }

  SortedMap<String, PartitionSet> givenTopics() {
    SortedMap<String, PartitionSet> topics = new TreeMap<>();
    givenPartitions.forEach((topic, count) -> topics.put(topic, PartitionSet.range(0, count)));
    return topics;
  }

  boolean knowsItsStrategy() {
    return assignmentStrategy.equals("range") || assignmentStrategy.equals("roundrobin");
  }

  PartitionAssignor assignor() {
    return assignor(assignmentStrategy, profile);
  }

  private static PartitionAssignor assignor(String strategy, Profile profile) {
    if (strategy.equals("roundrobin")) {
      return new RoundRobinAssignor(profile.roundRobin());
    }
    if (strategy.equals("range") || profile.release() == Release.V0_8) {
      return new RangeAssignor();
    }
    throw new IllegalArgumentException(
        "partition.assignment.strategy: \"" + strategy + "\" (expected: range or roundrobin)");
  }

  /** A config that is being made, with the original's defaults. */
  private static final class Draft {
    private final String connect;
    private Profile profile = Profile.V1_1;
    private int rebalanceMaxRetries = 4;
    private Duration rebalanceBackoff = Duration.ofMillis(2_000);
    private Duration sessionTimeout = Duration.ofMillis(6_000);
    private Duration connectionTimeout = sessionTimeout;
    private String assignmentStrategy = "range";
    private boolean excludeInternalTopics = true;
    private boolean autoCommit = true;
    private Duration autoCommitInterval = Duration.ofMillis(60_000);
    private @Nullable OffsetStore offsetStore;
    private boolean dualCommit = true;
    private SortedMap<String, Integer> givenPartitions = new TreeMap<>();
    private boolean strict;
    private ZkSecurity security = ZkSecurity.none();

    Draft(String connect) {
      this.connect = connect;
    }

    Draft(ZkEngineConfig from) {
      connect = from.connect;
      profile = from.profile;
      rebalanceMaxRetries = from.rebalanceMaxRetries;
      rebalanceBackoff = from.rebalanceBackoff;
      sessionTimeout = from.sessionTimeout;
      connectionTimeout = from.connectionTimeout;
      assignmentStrategy = from.assignmentStrategy;
      excludeInternalTopics = from.excludeInternalTopics;
      autoCommit = from.autoCommit;
      autoCommitInterval = from.autoCommitInterval;
      offsetStore = from.offsetStore;
      dualCommit = from.dualCommit;
      givenPartitions = from.givenPartitions;
      strict = from.strict;
      security = from.security;
    }

    ZkEngineConfig build() {
      return new ZkEngineConfig(
          connect,
          profile,
          rebalanceMaxRetries,
          rebalanceBackoff,
          sessionTimeout,
          connectionTimeout,
          assignmentStrategy,
          excludeInternalTopics,
          autoCommit,
          autoCommitInterval,
          offsetStore,
          dualCommit,
          givenPartitions,
          strict,
          security);
    }
  }
}
