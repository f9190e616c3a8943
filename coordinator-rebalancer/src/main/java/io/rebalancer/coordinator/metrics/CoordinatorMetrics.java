package io.rebalancer.coordinator.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.coordinator.group.Reason;
import io.rebalancer.coordinator.runtime.GroupMeter;
import io.rebalancer.coordinator.server.RequestMeter;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * A coordinator's metrics: those of Kafka's group coordinator under its names, as far as they exist
 * here, and a few of ours; docs/metrics.md lists them. One per coordinator and registry.
 * Thread-safe.
 */
public final class CoordinatorMetrics implements RebalanceObserver, GroupMeter, RequestMeter {

  /** What the meters of Kafka's MBean kafka.coordinator.group are named, before their own name. */
  public static final String GROUPS = "kafka.coordinator.group.GroupMetadataManager.";

  /** What those of its group-coordinator-metrics are named. */
  public static final String COORDINATOR = "kafka.server.group-coordinator-metrics.";

  /** What its request times are named. */
  public static final String REQUESTS = "kafka.network.RequestMetrics.TotalTimeMs";

  /** What the names of those that Kafka does not have begin with. */
  public static final String OURS = "rebalancer.coordinator.";

  private record Begun(long atNanos, String reason) {}

  private final MeterRegistry registry;
  private final Map<GroupPhase, AtomicInteger> groups = new EnumMap<>(GroupPhase.class);
  private final AtomicInteger all = new AtomicInteger();
  private final Map<GroupId, Begun> rebalancing = new ConcurrentHashMap<>();
  private final Map<ApiKeys, Timer> requests = new ConcurrentHashMap<>();
  private final Counter completed;
  private final Counter assigned;
  private final Counter revoked;
  private final Counter notAssigned;

  /** Registers the meters. */
  public CoordinatorMetrics(MeterRegistry registry) {
    this.registry = requireNonNull(registry, "registry");
    for (GroupPhase phase : GroupPhase.values()) {
      AtomicInteger count = new AtomicInteger();
      groups.put(phase, count);
      Gauge.builder(GROUPS + "NumGroups" + phase, count::get)
          .description("Groups in state " + phase)
          .register(registry);
    }
    Gauge.builder(GROUPS + "NumGroups", all::get)
        .description("Groups that the coordinator knows")
        .register(registry);
    completed =
        Counter.builder(COORDINATOR + "group-completed-rebalance-count")
            .description("Rebalances that ended with an assignment")
            .register(registry);
    assigned = partitions("assigned", "Partitions given to a member that did not have them");
    revoked = partitions("revoked", "Partitions taken from a member that had them");
    notAssigned = failed(Reason.ASSIGNOR_FAILED.name());
  }

  private Counter failed(String reason) {
    return Counter.builder(OURS + "rebalance.failed")
        .description("Rounds given up after their members had joined, and assignments that failed")
        .tag("reason", reason)
        .register(registry);
  }

  private Counter partitions(String what, String description) {
    return Counter.builder(OURS + "partitions." + what).description(description).register(registry);
  }

  @Override
  public void phase(@Nullable GroupPhase from, @Nullable GroupPhase to) {
    count(from, -1);
    count(to, 1);
  }

  private void count(@Nullable GroupPhase phase, int by) {
    if (phase != null) {
      requireNonNull(groups.get(phase)).addAndGet(by);
      all.addAndGet(by);
    }
  }

  @Override
  public void partitions(int given, int taken) {
    assigned.increment(given);
    revoked.increment(taken);
  }

  @Override
  public void notAssigned() {
    notAssigned.increment();
  }

  @Override
  public Runnable begin(ApiKeys request) {
    Timer.Sample sample = Timer.start(registry);
    return () -> sample.stop(requests.computeIfAbsent(request, this::timer));
  }

  private Timer timer(ApiKeys request) {
    return Timer.builder(REQUESTS)
        .description("From a request to its answer, whatever it waits for")
        .tag("request", request.name)
        .register(registry);
  }

  @Override
  public void on(Observation observation) {
    if (observation instanceof Observation.PhaseChanged moved) {
      moved(moved);
    }
  }

  /**
   * A rebalance is what lies between two settled states of a group; its reason is what began it. A
   * round that is given up for another fails, and the rebalance goes on; so it does when an
   * assignor has failed, though members go on with what they have.
   */
  private void moved(Observation.PhaseChanged moved) {
    if (moved.reason().equals(Reason.ASSIGNOR_FAILED.name())) {
      return;
    }
    if (moved.to().equals(GroupPhase.STABLE.toString())) {
      Begun begun = rebalancing.remove(moved.group());
      if (begun != null) {
        completed.increment();
        Timer.builder(OURS + "rebalance")
            .description("From what began a rebalance until everybody can have its part")
            .tag("reason", begun.reason())
            .register(registry)
            .record(moved.atNanos() - begun.atNanos(), TimeUnit.NANOSECONDS);
      }
    } else if (isOver(moved.to())) {
      rebalancing.remove(moved.group());
    } else {
      rebalancing.putIfAbsent(moved.group(), new Begun(moved.atNanos(), moved.reason()));
      if (moved.from().equals(GroupPhase.COMPLETING_REBALANCE.toString())) {
        failed(moved.reason()).increment();
      }
    }
  }

  private static boolean isOver(String phase) {
    return phase.equals(GroupPhase.EMPTY.toString()) || phase.equals(GroupPhase.DEAD.toString());
  }
}
