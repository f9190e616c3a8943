package io.rebalancer.coordinator.client;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.LegalName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How members reach their coordinator and how long they wait. Names in messages are Kafka's keys;
 * {@link CoordinatorClientProperties} reads them.
 *
 * @param bootstrapServers {@code bootstrap.servers}: asked in turn for the coordinator; at least
 *     one. An unresolved address is looked up at every connection
 * @param sessionTimeout {@code session.timeout.ms}, 45 s: silent for so long, a member is removed,
 *     and stops by itself
 * @param heartbeatInterval {@code heartbeat.interval.ms}, 3 s
 * @param rebalanceTimeout {@code max.poll.interval.ms}, 5 min: how long a rebalance waits for a
 *     member to give up what it owns and join, and how long its listener and the application may
 *     take ({@link CoordinatedMember#keepAlive})
 * @param requestTimeout {@code request.timeout.ms}, 30 s: an answer outstanding for so long costs
 *     the connection
 * @param retryBackoff {@code retry.backoff.ms}, 100 ms: the first pause after a failure, doubled
 *     with each that follows
 * @param retryBackoffMax {@code retry.backoff.max.ms}, 1 s: up to that
 * @param assignmentStrategy {@code partition.assignment.strategy}: {@code range} (default) or
 *     {@code roundrobin}, by thread as in the original; {@code sticky}, {@code cooperative-sticky},
 *     {@code uniform}, {@code weighted} or the name of a {@link
 *     io.rebalancer.core.assignor.member.MemberAssignor} found as a service, by member. All members
 *     of a group need the same
 * @param groupInstanceId {@code group.instance.id}: makes a static member (KIP-345), whose place is
 *     kept for the session timeout when it ends. One member of a group per engine then
 * @param scheduledRebalanceMaxDelay {@code scheduled.rebalance.max.delay.ms}, 0: for how long as
 *     group leader it keeps what a vanished member had for its return; {@code uniform} and {@code
 *     weighted} only
 * @param metadataMaxAge {@code metadata.max.age.ms}, 5 min: how often a member with a pattern asks
 *     which topics there are, beside each time that it joins
 * @param excludeInternalTopics {@code exclude.internal.topics}, true: whether a pattern matches no
 *     topic that the server calls internal
 * @param clientRack {@code client.rack}, none: where the member is (KIP-881), for assignors that
 *     look at racks
 */
public record CoordinatorClientConfig(
    List<InetSocketAddress> bootstrapServers,
    Duration sessionTimeout,
    Duration heartbeatInterval,
    Duration rebalanceTimeout,
    Duration requestTimeout,
    Duration retryBackoff,
    Duration retryBackoffMax,
    String assignmentStrategy,
    Optional<String> groupInstanceId,
    Duration scheduledRebalanceMaxDelay,
    Duration metadataMaxAge,
    boolean excludeInternalTopics,
    Optional<String> clientRack) {

  /**
   * Throws {@link IllegalArgumentException} that names each violation's keys, their values and what
   * was expected.
   */
  public CoordinatorClientConfig {
    bootstrapServers = List.copyOf(bootstrapServers);
    requireNonNull(assignmentStrategy, "assignmentStrategy");
    requireNonNull(groupInstanceId, "groupInstanceId");
    requireNonNull(clientRack, "clientRack");
    List<String> violations = new ArrayList<>();
    if (bootstrapServers.isEmpty()) {
      violations.add("bootstrap.servers: none (expected: at least one)");
    }
    demandMillis(violations, "session.timeout.ms", sessionTimeout, 1);
    demandMillis(violations, "heartbeat.interval.ms", heartbeatInterval, 1);
    demandMillis(violations, "max.poll.interval.ms", rebalanceTimeout, 1);
    demandMillis(violations, "request.timeout.ms", requestTimeout, 1);
    demandMillis(violations, "retry.backoff.ms", retryBackoff, 1);
    demandMillis(violations, "retry.backoff.max.ms", retryBackoffMax, 1);
    demandMillis(violations, "scheduled.rebalance.max.delay.ms", scheduledRebalanceMaxDelay, 0);
    demandMillis(violations, "metadata.max.age.ms", metadataMaxAge, 1);
    if (sessionTimeout.compareTo(heartbeatInterval) <= 0) {
      violations.add(
          "session.timeout.ms: %d (expected: more than heartbeat.interval.ms, %d)"
              .formatted(sessionTimeout.toMillis(), heartbeatInterval.toMillis()));
    }
    try {
      Strategy strategy = Strategies.named(assignmentStrategy);
      if (!scheduledRebalanceMaxDelay.isZero() && !strategy.delays()) {
        violations.add(
            ("scheduled.rebalance.max.delay.ms: %d (expected: 0 with"
                    + " partition.assignment.strategy %s, which cannot carry a delay; uniform and"
                    + " weighted can)")
                .formatted(scheduledRebalanceMaxDelay.toMillis(), assignmentStrategy));
      }
    } catch (IllegalArgumentException e) {
      violations.add(String.valueOf(e.getMessage()));
    }
    if (groupInstanceId.isPresent()) {
      try {
        LegalName.demand("group.instance.id", groupInstanceId.get());
      } catch (IllegalArgumentException e) {
        violations.add(String.valueOf(e.getMessage()));
      }
    }
    if (!violations.isEmpty()) {
      throw new BadConfigException(violations);
    }
  }

  /** All defaults. */
  public static CoordinatorClientConfig of(List<InetSocketAddress> bootstrapServers) {
    return new CoordinatorClientConfig(
        bootstrapServers,
        Duration.ofMillis(45_000),
        Duration.ofMillis(3_000),
        Duration.ofMillis(300_000),
        Duration.ofMillis(30_000),
        Duration.ofMillis(100),
        Duration.ofMillis(1_000),
        "range",
        Optional.empty(),
        Duration.ZERO,
        Duration.ofMillis(300_000),
        true,
        Optional.empty());
  }

  public CoordinatorClientConfig withSession(Duration sessionTimeout, Duration heartbeatInterval) {
    Fields copy = new Fields(this);
    copy.sessionTimeout = sessionTimeout;
    copy.heartbeatInterval = heartbeatInterval;
    return copy.config();
  }

  public CoordinatorClientConfig withTimeouts(Duration rebalanceTimeout, Duration requestTimeout) {
    Fields copy = new Fields(this);
    copy.rebalanceTimeout = rebalanceTimeout;
    copy.requestTimeout = requestTimeout;
    return copy.config();
  }

  public CoordinatorClientConfig withRetryBackoff(Duration first, Duration most) {
    Fields copy = new Fields(this);
    copy.retryBackoff = first;
    copy.retryBackoffMax = most;
    return copy.config();
  }

  public CoordinatorClientConfig withAssignmentStrategy(String assignmentStrategy) {
    Fields copy = new Fields(this);
    copy.assignmentStrategy = assignmentStrategy;
    return copy.config();
  }

  public CoordinatorClientConfig withGroupInstanceId(String groupInstanceId) {
    Fields copy = new Fields(this);
    copy.groupInstanceId = Optional.of(groupInstanceId);
    return copy.config();
  }

  /** The strategy first: it has to be one that can carry a delay. */
  public CoordinatorClientConfig withScheduledRebalanceMaxDelay(Duration most) {
    Fields copy = new Fields(this);
    copy.scheduledRebalanceMaxDelay = most;
    return copy.config();
  }

  public CoordinatorClientConfig withMetadataMaxAge(Duration metadataMaxAge) {
    Fields copy = new Fields(this);
    copy.metadataMaxAge = metadataMaxAge;
    return copy.config();
  }

  public CoordinatorClientConfig withExcludeInternalTopics(boolean excludeInternalTopics) {
    Fields copy = new Fields(this);
    copy.excludeInternalTopics = excludeInternalTopics;
    return copy.config();
  }

  public CoordinatorClientConfig withClientRack(String clientRack) {
    Fields copy = new Fields(this);
    copy.clientRack = Optional.of(clientRack);
    return copy.config();
  }

  /** What is legal and yet unwise, each with its keys and values. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (sessionTimeout.compareTo(heartbeatInterval.multipliedBy(3)) < 0) {
      warnings.add(
          "session.timeout.ms: %d is less than 3 x heartbeat.interval.ms, %d: one lost heartbeat can end a membership"
              .formatted(sessionTimeout.toMillis(), heartbeatInterval.toMillis()));
    }
    if (rebalanceTimeout.compareTo(heartbeatInterval) <= 0) {
      warnings.add(
          "max.poll.interval.ms: %d is not more than heartbeat.interval.ms, %d: a rebalance is over before all members have heard of it"
              .formatted(rebalanceTimeout.toMillis(), heartbeatInterval.toMillis()));
    }
    if (retryBackoff.compareTo(retryBackoffMax) > 0) {
      warnings.add(
          "retry.backoff.ms: %d is more than retry.backoff.max.ms, %d: every pause is of retry.backoff.max.ms"
              .formatted(retryBackoff.toMillis(), retryBackoffMax.toMillis()));
    }
    return List.copyOf(warnings);
  }

  /**
   * How long a member goes on after it sent the last request that was answered. Shorter than the
   * session timeout, so that it has stopped before the coordinator gives its partitions away even
   * when its timer fires late.
   */
  Duration lease() {
    Duration tenth = sessionTimeout.dividedBy(10);
    Duration half = sessionTimeout.minus(heartbeatInterval).dividedBy(2);
    return sessionTimeout.minus(tenth.compareTo(half) < 0 ? tenth : half);
  }

  /** A Join waits for the slowest member (kafka-clients 4.4, AbstractCoordinator: 5 s on top). */
  Duration joinTimeout() {
    Duration slowest = rebalanceTimeout.plusSeconds(5);
    return slowest.compareTo(requestTimeout) > 0 ? slowest : requestTimeout;
  }

  private static void demandMillis(List<String> violations, String key, Duration value, int least) {
    if (value.toMillis() < least || value.toMillis() > Integer.MAX_VALUE) {
      violations.add(
          key
              + ": "
              + value.toMillis()
              + " (expected: "
              + least
              + " to "
              + Integer.MAX_VALUE
              + ")");
    }
  }

  /** For copies in which something is another. */
  private static final class Fields {
    private List<InetSocketAddress> bootstrapServers;
    private Duration sessionTimeout;
    private Duration heartbeatInterval;
    private Duration rebalanceTimeout;
    private Duration requestTimeout;
    private Duration retryBackoff;
    private Duration retryBackoffMax;
    private String assignmentStrategy;
    private Optional<String> groupInstanceId;
    private Duration scheduledRebalanceMaxDelay;
    private Duration metadataMaxAge;
    private boolean excludeInternalTopics;
    private Optional<String> clientRack;

    Fields(CoordinatorClientConfig from) {
      bootstrapServers = from.bootstrapServers;
      sessionTimeout = from.sessionTimeout;
      heartbeatInterval = from.heartbeatInterval;
      rebalanceTimeout = from.rebalanceTimeout;
      requestTimeout = from.requestTimeout;
      retryBackoff = from.retryBackoff;
      retryBackoffMax = from.retryBackoffMax;
      assignmentStrategy = from.assignmentStrategy;
      groupInstanceId = from.groupInstanceId;
      scheduledRebalanceMaxDelay = from.scheduledRebalanceMaxDelay;
      metadataMaxAge = from.metadataMaxAge;
      excludeInternalTopics = from.excludeInternalTopics;
      clientRack = from.clientRack;
    }

    CoordinatorClientConfig config() {
      return new CoordinatorClientConfig(
          bootstrapServers,
          sessionTimeout,
          heartbeatInterval,
          rebalanceTimeout,
          requestTimeout,
          retryBackoff,
          retryBackoffMax,
          assignmentStrategy,
          groupInstanceId,
          scheduledRebalanceMaxDelay,
          metadataMaxAge,
          excludeInternalTopics,
          clientRack);
    }
  }
}
