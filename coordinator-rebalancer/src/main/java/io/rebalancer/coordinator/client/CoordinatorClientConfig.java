package io.rebalancer.coordinator.client;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How members reach their coordinator and how long they wait. Names in messages are Kafka's keys.
 *
 * @param bootstrapServers {@code bootstrap.servers}: asked in turn for the coordinator; at least
 *     one. An unresolved address is looked up at every connection
 * @param sessionTimeout {@code session.timeout.ms}, 45 s: silent for so long, a member is removed,
 *     and stops by itself
 * @param heartbeatInterval {@code heartbeat.interval.ms}, 3 s
 * @param rebalanceTimeout {@code max.poll.interval.ms}, 5 min: how long a rebalance waits for a
 *     member to give up what it owns and join
 * @param requestTimeout {@code request.timeout.ms}, 30 s: an answer outstanding for so long costs
 *     the connection
 * @param retryBackoff {@code retry.backoff.ms}, 100 ms: the first pause after a failure, doubled up
 *     to ten times as much
 * @param assignmentStrategy {@code partition.assignment.strategy}: {@code range} (default) or
 *     {@code roundrobin}, by thread as in the original; {@code sticky}, {@code cooperative-sticky},
 *     {@code uniform}, {@code weighted} or the name of a {@link
 *     io.rebalancer.core.assignor.member.MemberAssignor} found as a service, by member. All members
 *     of a group need the same
 */
public record CoordinatorClientConfig(
    List<InetSocketAddress> bootstrapServers,
    Duration sessionTimeout,
    Duration heartbeatInterval,
    Duration rebalanceTimeout,
    Duration requestTimeout,
    Duration retryBackoff,
    String assignmentStrategy) {

  /** Throws {@link IllegalArgumentException} with the key, the value and what was expected. */
  public CoordinatorClientConfig {
    bootstrapServers = List.copyOf(bootstrapServers);
    requireNonNull(assignmentStrategy, "assignmentStrategy");
    if (bootstrapServers.isEmpty()) {
      throw new IllegalArgumentException("bootstrap.servers: none (expected: at least one)");
    }
    demandMillis("session.timeout.ms", sessionTimeout);
    demandMillis("heartbeat.interval.ms", heartbeatInterval);
    demandMillis("max.poll.interval.ms", rebalanceTimeout);
    demandMillis("request.timeout.ms", requestTimeout);
    demandMillis("retry.backoff.ms", retryBackoff);
    if (sessionTimeout.compareTo(heartbeatInterval) <= 0) {
      throw new IllegalArgumentException(
          "session.timeout.ms: %d (expected: more than heartbeat.interval.ms, %d)"
              .formatted(sessionTimeout.toMillis(), heartbeatInterval.toMillis()));
    }
    Strategies.named(assignmentStrategy);
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
        "range");
  }

  public CoordinatorClientConfig withSession(Duration sessionTimeout, Duration heartbeatInterval) {
    return new CoordinatorClientConfig(
        bootstrapServers,
        sessionTimeout,
        heartbeatInterval,
        rebalanceTimeout,
        requestTimeout,
        retryBackoff,
        assignmentStrategy);
  }

  public CoordinatorClientConfig withTimeouts(Duration rebalanceTimeout, Duration requestTimeout) {
    return new CoordinatorClientConfig(
        bootstrapServers,
        sessionTimeout,
        heartbeatInterval,
        rebalanceTimeout,
        requestTimeout,
        retryBackoff,
        assignmentStrategy);
  }

  public CoordinatorClientConfig withAssignmentStrategy(String assignmentStrategy) {
    return new CoordinatorClientConfig(
        bootstrapServers,
        sessionTimeout,
        heartbeatInterval,
        rebalanceTimeout,
        requestTimeout,
        retryBackoff,
        assignmentStrategy);
  }

  /** What is legal and yet unwise: a session shorter than three heartbeats. */
  public Optional<String> warning() {
    if (sessionTimeout.compareTo(heartbeatInterval.multipliedBy(3)) >= 0) {
      return Optional.empty();
    }
    return Optional.of(
        "session.timeout.ms: %d is less than 3 x heartbeat.interval.ms, %d: one lost heartbeat can end a membership"
            .formatted(sessionTimeout.toMillis(), heartbeatInterval.toMillis()));
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

  private static void demandMillis(String key, Duration value) {
    if (value.toMillis() < 1 || value.toMillis() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          key + ": " + value.toMillis() + " (expected: 1 to " + Integer.MAX_VALUE + ")");
    }
  }
}
