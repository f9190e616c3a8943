package io.rebalancer.coordinator.metrics;

import static io.rebalancer.coordinator.metrics.MemberMetrics.KAFKAS;
import static io.rebalancer.coordinator.metrics.MemberMetrics.OURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

class MemberMetricsTest {

  private final VirtualTime time = new VirtualTime();
  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final MemberMetrics metrics = new MemberMetrics(registry, "c1", "g", time);

  private static void started(MemberMetrics to, long atMs, String trigger) {
    to.on(new Observation.AttemptStarted(MILLISECONDS.toNanos(atMs), "c1", 1, trigger));
  }

  private static void ended(MemberMetrics to, long atMs, boolean failed) {
    to.on(
        new Observation.AttemptEnded(
            MILLISECONDS.toNanos(atMs),
            "c1",
            1,
            failed,
            false,
            Assignment.empty(),
            Assignment.empty()));
  }

  private static void entry(MemberMetrics to, Kind kind, int first, int count) {
    to.on(
        new Observation.Ownership(
            new LedgerEntry(
                0,
                kind,
                new GroupId("g"),
                "c1",
                Assignment.of("t", PartitionSet.range(first, count)),
                FencingToken.ofGeneration(1))));
  }

  private double count(String name) {
    return registry.get(name).counter().count();
  }

  private double gauge(String name) {
    return registry.get(KAFKAS + name).gauge().value();
  }

  private Timer timer(String name) {
    return registry.get(KAFKAS + name).timer();
  }

  @Test
  void aRebalanceLastsThroughItsFailedAttempts() {
    started(metrics, 100, "join");
    ended(metrics, 110, true);
    started(metrics, 300, "retry");
    ended(metrics, 350, false);
    started(metrics, 1_000, "told");
    ended(metrics, 1_040, false);

    assertThat(timer("rebalance-latency").count()).isEqualTo(2);
    assertThat(timer("rebalance-latency").totalTime(MILLISECONDS)).isEqualTo(290);
    assertThat(timer("rebalance-latency").max(MILLISECONDS)).isEqualTo(250);
    assertThat(count(KAFKAS + "rebalance-total")).isEqualTo(2);
    assertThat(count(KAFKAS + "failed-rebalance-total")).isEqualTo(1);
  }

  @Test
  void timeAwayFromTheGroupIsNoRebalance() {
    started(metrics, 100, "told");
    ended(metrics, 200, true);
    started(metrics, 9_000, "poll");
    ended(metrics, 9_030, false);

    assertThat(timer("rebalance-latency").totalTime(MILLISECONDS)).isEqualTo(30);
  }

  @Test
  void partitionsAreCountedAsTheyComeAndGo() {
    entry(metrics, Kind.GRANTED, 0, 9);
    entry(metrics, Kind.ASSIGNED, 0, 5);
    entry(metrics, Kind.REVOKED, 0, 1);
    assertThat(gauge("assigned-partitions")).isEqualTo(4);
    entry(metrics, Kind.LOST, 1, 4);

    assertThat(gauge("assigned-partitions")).isZero();
    assertThat(count(OURS + "partitions.assigned")).isEqualTo(5);
    assertThat(count(OURS + "partitions.revoked")).isEqualTo(1);
    assertThat(count(OURS + "partitions.lost")).isEqualTo(4);
  }

  @Test
  void requestsAndCallsOfTheListenerAreTimed() {
    metrics.answered(ApiKeys.JOIN_GROUP, ms(10), ms(30));
    metrics.answered(ApiKeys.SYNC_GROUP, ms(30), ms(41));
    metrics.answered(ApiKeys.HEARTBEAT, ms(50), ms(52));
    metrics.answered(ApiKeys.OFFSET_COMMIT, ms(60), ms(63));
    metrics.answered(ApiKeys.METADATA, ms(60), ms(63));
    metrics.revoked(ms(5));
    metrics.assigned(ms(6));
    metrics.lost(ms(7));

    assertThat(timer("join-time").totalTime(MILLISECONDS)).isEqualTo(20);
    assertThat(timer("sync-time").totalTime(MILLISECONDS)).isEqualTo(11);
    assertThat(timer("heartbeat-response-time").totalTime(MILLISECONDS)).isEqualTo(2);
    assertThat(timer("commit-latency").totalTime(MILLISECONDS)).isEqualTo(3);
    assertThat(timer("partition-revoked-latency").totalTime(MILLISECONDS)).isEqualTo(5);
    assertThat(timer("partition-assigned-latency").totalTime(MILLISECONDS)).isEqualTo(6);
    assertThat(timer("partition-lost-latency").totalTime(MILLISECONDS)).isEqualTo(7);
  }

  @Test
  void theLastHeartbeatIsAsOldAsItsSending() {
    assertThat(gauge("last-heartbeat-seconds-ago")).isEqualTo(-1);

    long sent = time.nanos();
    time.advance(Duration.ofMillis(500));
    metrics.answered(ApiKeys.HEARTBEAT, sent, time.nanos());
    time.advance(Duration.ofSeconds(2));

    assertThat(gauge("last-heartbeat-seconds-ago")).isEqualTo(2.5);
  }

  @Test
  void closingRemovesItsOwnMetersAndNoOthers() {
    MemberMetrics sameName = new MemberMetrics(registry, "c1", "g");
    MemberMetrics longerName = new MemberMetrics(registry, "c10", "g");
    assertThat(registry.getMeters()).hasSize(3 * METERS);

    metrics.close();
    metrics.close();
    assertThat(registry.getMeters()).hasSize(2 * METERS);
    longerName.close();

    assertThat(registry.getMeters())
        .hasSize(METERS)
        .allSatisfy(
            meter ->
                assertThat(meter.getId().getTags())
                    .containsExactlyElementsOf(Tags.of("client-id", "c1-2", "group", "g")));
    sameName.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  private static final int METERS = 15;

  @Test
  void prometheusRendersTheNamesThatAreDocumented() {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    prometheus.throwExceptionOnRegistrationFailure();
    MemberMetrics rendered = new MemberMetrics(prometheus, "c1", "g");
    started(rendered, 0, "join");
    entry(rendered, Kind.ASSIGNED, 0, 2);
    ended(rendered, 1_500, false);

    String kafkas = "kafka_consumer_consumer_coordinator_metrics_";
    String tags = "{client_id=\"c1\",group=\"g\"}";
    List<String> lines = prometheus.scrape().lines().filter(line -> !line.startsWith("#")).toList();
    assertThat(lines)
        .contains(
            kafkas + "assigned_partitions" + tags + " 2.0",
            kafkas + "last_heartbeat_seconds_ago" + tags + " -1.0",
            kafkas + "rebalance_total" + tags + " 1.0",
            kafkas + "failed_rebalance_total" + tags + " 0.0",
            kafkas + "rebalance_latency_seconds_count" + tags + " 1",
            kafkas + "rebalance_latency_seconds_sum" + tags + " 1.5",
            kafkas + "rebalance_latency_seconds_max" + tags + " 1.5",
            kafkas + "join_time_seconds_count" + tags + " 0",
            kafkas + "sync_time_seconds_count" + tags + " 0",
            kafkas + "heartbeat_response_time_seconds_count" + tags + " 0",
            kafkas + "commit_latency_seconds_count" + tags + " 0",
            kafkas + "partition_revoked_latency_seconds_count" + tags + " 0",
            kafkas + "partition_assigned_latency_seconds_count" + tags + " 0",
            kafkas + "partition_lost_latency_seconds_count" + tags + " 0",
            "rebalancer_member_partitions_assigned_total" + tags + " 2.0",
            "rebalancer_member_partitions_revoked_total" + tags + " 0.0",
            "rebalancer_member_partitions_lost_total" + tags + " 0.0")
        .hasSize(3 * 8 + 7);
  }

  private static long ms(long millis) {
    return MILLISECONDS.toNanos(millis);
  }
}
