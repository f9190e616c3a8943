package io.rebalancer.zk.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of the original consumer (kafka 0.8.2-1.1, {@code
 * kafka.consumer:type=ZookeeperConsumerConnector}) as Micrometer meters, and a few of ours;
 * docs/metrics.md lists them. Give it to the engine as its observer. An engine with several members
 * has their sum.
 *
 * <p>Every meter bears the tags clientId and groupId. Where another consumer's meters in the
 * registry bear both already, this one's clientId gets {@code -2}, {@code -3}, and so on: no two
 * consumers share a meter, so that {@link #close} removes its own and no other's. The original
 * removes those of every consumer whose client id begins with the same text (D24).
 *
 * <p>Thread-safe; never throws into the engine.
 */
public final class ZkConsumerMetrics implements RebalanceObserver, AutoCloseable {

  /** What the meters of the original's metrics are named, before their own name. */
  public static final String ORIGINAL = "kafka.consumer.ZookeeperConsumerConnector.";

  /** What the names of those that the original does not have begin with. */
  public static final String OURS = "rebalancer.zk.";

  private static final Logger log = LoggerFactory.getLogger(ZkConsumerMetrics.class);

  private static final String REBALANCES = ORIGINAL + "RebalanceRateAndTime";

  private final MeterRegistry registry;
  private final Tags tags;
  private final Set<Meter> meters = new HashSet<>();
  private final Timer rebalances;
  private final Counter commits;
  private final Counter failedAttempts;
  private final Counter claimsLost;
  private final Counter gaveUp;
  private final Counter unreadable;
  private final Counter repaired;
  private final AtomicInteger owned = new AtomicInteger();
  private final Map<String, TopicGauge> ownedOfTopic = new HashMap<>();
  private final Map<String, Long> rebalanceStartNanos = new HashMap<>();
  private final Map<String, Assignment> ownedByMember = new HashMap<>();
  private boolean closed;

  private record TopicGauge(AtomicInteger count, Gauge gauge) {}

  /**
   * Registers the meters.
   *
   * @param clientId {@code client.id}; the original's default is the group id
   */
  public ZkConsumerMetrics(MeterRegistry registry, String clientId, String groupId) {
    this.registry = requireNonNull(registry, "registry");
    synchronized (registry) {
      this.tags = freeTags(registry, clientId, groupId);
      this.rebalances =
          keep(
              Timer.builder(REBALANCES)
                  .description("Whole rebalances, with all tries and the back-off between them")
                  .tags(tags)
                  .register(registry));
    }
    this.commits = counter(ORIGINAL + "ZooKeeperCommitsPerSec", "Offset znodes written");
    this.failedAttempts = counter(OURS + "attempts.failed", "Rebalance attempts that failed");
    this.claimsLost = counter(OURS + "claims.lost", "Claims that met another's owner znode");
    this.gaveUp = counter(OURS + "gave.up", "Rebalances that failed with their last try");
    this.unreadable = counter(OURS + "znodes.unreadable", "Times that a payload was unreadable");
    this.repaired = counter(OURS + "watches.repaired", "Changes found that no watch had told of");
    keep(
        Gauge.builder(ORIGINAL + "OwnedPartitionsCount", owned::get)
            .description("Partitions that are processed, of all topics")
            .tags(tags)
            .register(registry));
  }

  private static Tags freeTags(MeterRegistry registry, String clientId, String groupId) {
    Tags free = tags(clientId, groupId);
    for (int n = 2; registry.find(REBALANCES).tags(free).meter() != null; n++) {
      free = tags(clientId + "-" + n, groupId);
    }
    return free;
  }

  private static Tags tags(String clientId, String groupId) {
    return Tags.of("clientId", clientId, "groupId", groupId);
  }

  private Counter counter(String name, String description) {
    return keep(Counter.builder(name).description(description).tags(tags).register(registry));
  }

  private <M extends Meter> M keep(M meter) {
    meters.add(meter);
    return meter;
  }

  /**
   * Registers {@code KafkaCommitsPerSec}, for consumers with {@code offsets.storage=kafka}, and
   * returns what counts a commit of so many partitions.
   */
  public synchronized IntConsumer kafkaCommits() {
    if (closed) {
      return partitions -> {};
    }
    return counter(ORIGINAL + "KafkaCommitsPerSec", "Offsets committed to Kafka")::increment;
  }

  @Override
  public void on(Observation observation) {
    try {
      observation.accept(new Meters());
    } catch (RuntimeException e) {
      log.warn("{}: {} could not be counted", tags, observation, e);
    }
  }

  private final class Meters implements Observation.Visitor<Void> {

    @Override
    public Void onAttemptStarted(Observation.AttemptStarted observation) {
      attemptStarted(observation);
      return null;
    }

    @Override
    public Void onAttemptEnded(Observation.AttemptEnded observation) {
      if (observation.failed()) {
        failedAttempts.increment();
      } else {
        rebalanceEnded(observation.member(), observation.atNanos());
      }
      return null;
    }

    /** Does not happen in groups without a coordinator. */
    @Override
    public Void onMemberJoined(Observation.MemberJoined observation) {
      return null;
    }

    /** Nor does this. */
    @Override
    public Void onMemberRefused(Observation.MemberRefused observation) {
      return null;
    }

    @Override
    public Void onGaveUp(Observation.GaveUp observation) {
      gaveUp.increment();
      rebalanceEnded(observation.member(), observation.atNanos());
      return null;
    }

    @Override
    public Void onOwnership(Observation.Ownership observation) {
      entered(observation.entry());
      return null;
    }

    @Override
    public Void onClaimLost(Observation.ClaimLost observation) {
      claimsLost.increment();
      return null;
    }

    @Override
    public Void onZnodeUnreadable(Observation.ZnodeUnreadable observation) {
      unreadable.increment();
      return null;
    }

    @Override
    public Void onWatchRepaired(Observation.WatchRepaired observation) {
      repaired.increment();
      return null;
    }

    @Override
    public Void onOffsetCommitted(Observation.OffsetCommitted observation) {
      commits.increment();
      return null;
    }

    @Override
    public Void onWatchDelivered(Observation.WatchDelivered observation) {
      return null;
    }

    @Override
    public Void onReconnected(Observation.Reconnected observation) {
      return null;
    }

    @Override
    public Void onRequested(Observation.Requested observation) {
      return null;
    }

    @Override
    public Void onPhaseChanged(Observation.PhaseChanged observation) {
      return null;
    }
  }

  /** An attempt that is no retry begins a rebalance; a strict consumer has not given up before. */
  private synchronized void attemptStarted(Observation.AttemptStarted attempt) {
    if (!attempt.trigger().equals("retry")) {
      rebalanceEnded(attempt.member(), attempt.atNanos());
      rebalanceStartNanos.put(attempt.member(), attempt.atNanos());
    }
  }

  private synchronized void rebalanceEnded(String member, long atNanos) {
    Long startNanos = rebalanceStartNanos.remove(member);
    if (startNanos != null) {
      rebalances.record(atNanos - startNanos, TimeUnit.NANOSECONDS);
    }
  }

  private synchronized void entered(LedgerEntry entry) {
    Assignment before = ownedByMember.getOrDefault(entry.member(), Assignment.empty());
    switch (entry.kind()) {
      case ASSIGNED -> own(entry.member(), before.plus(entry.partitions()));
      case REVOKED, LOST -> own(entry.member(), before.minus(entry.partitions()));
      case CLAIMED, GRANTED, RELEASED -> {
        // What counts is what is processed.
      }
    }
  }

  private void own(String member, Assignment partitions) {
    if (partitions.isEmpty()) {
      ownedByMember.remove(member);
    } else {
      ownedByMember.put(member, partitions);
    }
    Map<String, Integer> counts = new HashMap<>();
    for (Assignment each : ownedByMember.values()) {
      each.topics().forEach((topic, set) -> counts.merge(topic, set.size(), Integer::sum));
    }
    owned.set(counts.values().stream().mapToInt(Integer::intValue).sum());
    Set<String> gone = new HashSet<>(ownedOfTopic.keySet());
    gone.removeAll(counts.keySet());
    gone.forEach(this::removeTopic);
    if (!closed) {
      counts.forEach((topic, count) -> topicGauge(topic).count().set(count));
    }
  }

  /** As in the original a topic has its gauge while the consumer owns some of it. */
  private TopicGauge topicGauge(String topic) {
    return ownedOfTopic.computeIfAbsent(
        topic,
        name -> {
          AtomicInteger count = new AtomicInteger();
          return new TopicGauge(
              count,
              keep(
                  Gauge.builder(ORIGINAL + "OwnedPartitionsCountPerTopic", count::get)
                      .description("Partitions that are processed, of one topic")
                      .tags(tags.and("topic", name))
                      .register(registry)));
        });
  }

  private void removeTopic(String topic) {
    TopicGauge gone = ownedOfTopic.remove(topic);
    if (gone != null) {
      meters.remove(gone.gauge());
      registry.remove(gone.gauge());
    }
  }

  /** Removes its meters from the registry. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    ownedOfTopic.clear();
    meters.forEach(registry::remove);
    meters.clear();
  }
}
