package io.rebalancer.coordinator.metrics;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.rebalancer.coordinator.client.MemberMeter;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member's metrics: those of Kafka's consumer (kafka-clients 4.4, consumer-coordinator-metrics)
 * under its names, and a few of ours; docs/metrics.md lists them. Give it to the engine as its
 * observer and as its meter. An engine with several members has their sum.
 *
 * <p>Every meter bears the tags client-id and group. Where another member's meters in the registry
 * bear both already, this one's client-id gets {@code -2}, {@code -3}, and so on, so that {@link
 * #close} removes its own and no other's.
 *
 * <p>Thread-safe; never throws into the engine.
 */
public final class MemberMetrics implements RebalanceObserver, MemberMeter, AutoCloseable {

  /** What the meters of Kafka's MBean are named, before their own name. */
  public static final String KAFKAS = "kafka.consumer.consumer-coordinator-metrics.";

  /** What the names of those that Kafka does not have begin with. */
  public static final String OURS = "rebalancer.member.";

  private static final Logger LOG = LoggerFactory.getLogger(MemberMetrics.class);
  private static final String REBALANCES = KAFKAS + "rebalance-latency";

  private final MeterRegistry registry;
  private final Ticker ticker;
  private final Tags tags;
  private final List<Meter> meters = new ArrayList<>();
  private final Timer rebalances;
  private final Counter completed;
  private final Counter failed;
  private final Map<ApiKeys, Timer> requests;
  private final Timer revokedLatency;
  private final Timer assignedLatency;
  private final Timer lostLatency;
  private final Counter revoked;
  private final Counter assigned;
  private final Counter lost;
  private final AtomicInteger owned = new AtomicInteger();
  private final Map<String, Assignment> ownedByMember = new HashMap<>();
  private final Map<String, Long> begunAtNanos = new HashMap<>();
  private boolean beaten;
  private long lastBeatNanos;

  /** Registers the meters. {@code clientId} is the member's name. */
  public MemberMetrics(MeterRegistry registry, String clientId, String group) {
    this(registry, clientId, group, Ticker.system());
  }

  MemberMetrics(MeterRegistry registry, String clientId, String group, Ticker ticker) {
    this.registry = requireNonNull(registry, "registry");
    this.ticker = ticker;
    synchronized (registry) {
      this.tags = freeTags(registry, clientId, group);
      this.rebalances =
          timer("rebalance-latency", "Rebalances from their beginning, with all tries, to the end");
    }
    completed = counter(KAFKAS + "rebalance-total", "Rebalances that ended with an assignment");
    failed = counter(KAFKAS + "failed-rebalance-total", "Attempts to rebalance that failed");
    requests =
        Map.of(
            ApiKeys.JOIN_GROUP, timer("join-time", "From a JoinGroup to its answer"),
            ApiKeys.SYNC_GROUP, timer("sync-time", "From a SyncGroup to its answer"),
            ApiKeys.HEARTBEAT, timer("heartbeat-response-time", "From a Heartbeat to its answer"),
            ApiKeys.OFFSET_COMMIT, timer("commit-latency", "From an OffsetCommit to its answer"));
    revokedLatency = timer("partition-revoked-latency", "Calls of the listener's onRevoked");
    assignedLatency = timer("partition-assigned-latency", "Calls of the listener's onAssigned");
    lostLatency = timer("partition-lost-latency", "Calls of the listener's onLost");
    revoked = counter(OURS + "partitions.revoked", "Partitions given up when asked");
    assigned = counter(OURS + "partitions.assigned", "Partitions that were new to the member");
    lost = counter(OURS + "partitions.lost", "Partitions taken away without asking");
    keep(
        Gauge.builder(KAFKAS + "assigned-partitions", owned::get)
            .description("Partitions that are processed")
            .tags(tags)
            .register(registry));
    keep(
        Gauge.builder(KAFKAS + "last-heartbeat-seconds-ago", this::secondsSinceBeat)
            .description("Since the last Heartbeat that was answered was sent; -1 before the first")
            .tags(tags)
            .register(registry));
  }

  private static Tags freeTags(MeterRegistry registry, String clientId, String group) {
    Tags free = Tags.of("client-id", clientId, "group", group);
    for (int n = 2; registry.find(REBALANCES).tags(free).meter() != null; n++) {
      free = Tags.of("client-id", clientId + "-" + n, "group", group);
    }
    return free;
  }

  private Timer timer(String name, String description) {
    return keep(
        Timer.builder(KAFKAS + name).description(description).tags(tags).register(registry));
  }

  private Counter counter(String name, String description) {
    return keep(Counter.builder(name).description(description).tags(tags).register(registry));
  }

  private <M extends Meter> M keep(M meter) {
    meters.add(meter);
    return meter;
  }

  private synchronized double secondsSinceBeat() {
    return beaten ? (ticker.nanos() - lastBeatNanos) / (double) TimeUnit.SECONDS.toNanos(1) : -1;
  }

  // What an engine tells.

  @Override
  public void answered(ApiKeys request, long sentAtNanos, long answeredAtNanos) {
    guarded(
        () -> {
          if (request == ApiKeys.HEARTBEAT) {
            beaten(sentAtNanos);
          }
          Timer timer = requests.get(request);
          if (timer != null) {
            timer.record(answeredAtNanos - sentAtNanos, NANOSECONDS);
          }
        });
  }

  private synchronized void beaten(long atNanos) {
    beaten = true;
    lastBeatNanos = atNanos;
  }

  @Override
  public void revoked(long nanos) {
    guarded(() -> revokedLatency.record(nanos, NANOSECONDS));
  }

  @Override
  public void assigned(long nanos) {
    guarded(() -> assignedLatency.record(nanos, NANOSECONDS));
  }

  @Override
  public void lost(long nanos) {
    guarded(() -> lostLatency.record(nanos, NANOSECONDS));
  }

  @Override
  public void on(Observation observation) {
    guarded(
        () -> {
          if (observation instanceof Observation.AttemptStarted started) {
            started(started);
          } else if (observation instanceof Observation.AttemptEnded ended) {
            ended(ended);
          } else if (observation instanceof Observation.Ownership ownership) {
            entered(ownership.entry());
          }
        });
  }

  private void guarded(Runnable count) {
    try {
      count.run();
    } catch (RuntimeException e) {
      LOG.warn("{}: not counted", tags, e);
    }
  }

  /** A rebalance goes on through attempts that fail; time away from the group is none of it. */
  private synchronized void started(Observation.AttemptStarted attempt) {
    if (attempt.trigger().equals("poll")) {
      begunAtNanos.remove(attempt.member());
    }
    begunAtNanos.putIfAbsent(attempt.member(), attempt.atNanos());
  }

  private synchronized void ended(Observation.AttemptEnded attempt) {
    if (attempt.failed()) {
      failed.increment();
      return;
    }
    Long begun = begunAtNanos.remove(attempt.member());
    if (begun != null) {
      completed.increment();
      rebalances.record(attempt.atNanos() - begun, NANOSECONDS);
    }
  }

  private synchronized void entered(LedgerEntry entry) {
    int size = entry.partitions().size();
    Assignment before = ownedByMember.getOrDefault(entry.member(), Assignment.empty());
    switch (entry.kind()) {
      case ASSIGNED -> {
        assigned.increment(size);
        own(entry.member(), before.plus(entry.partitions()));
      }
      case REVOKED -> {
        revoked.increment(size);
        own(entry.member(), before.minus(entry.partitions()));
      }
      case LOST -> {
        lost.increment(size);
        own(entry.member(), before.minus(entry.partitions()));
      }
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
    owned.set(ownedByMember.values().stream().mapToInt(Assignment::size).sum());
  }

  /** Removes its meters from the registry. Idempotent. */
  @Override
  public synchronized void close() {
    meters.forEach(registry::remove);
    meters.clear();
  }
}
