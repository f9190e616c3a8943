package io.rebalancer.zk.metrics;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class ZkConsumerMetricsTest {

  private static final String OWNED = ZkConsumerMetrics.ORIGINAL + "OwnedPartitionsCount";
  private static final String OWNED_OF_TOPIC = OWNED + "PerTopic";

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final ZkConsumerMetrics metrics = new ZkConsumerMetrics(registry, "client", "g1");

  private static void started(RebalanceObserver observer, long atMs, String trigger) {
    observer.on(
        new Observation.AttemptStarted(MILLISECONDS.toNanos(atMs), "c1", (int) atMs, trigger));
  }

  private static void ended(RebalanceObserver observer, long atMs, boolean failed) {
    observer.on(
        new Observation.AttemptEnded(
            MILLISECONDS.toNanos(atMs),
            "c1",
            (int) atMs,
            failed,
            false,
            Assignment.empty(),
            Assignment.empty()));
  }

  private static void entry(
      RebalanceObserver observer, String member, Kind kind, Assignment partitions) {
    FencingToken token = FencingToken.ofOwnerNode(1);
    observer.on(
        new Observation.Ownership(
            new LedgerEntry(0, kind, new GroupId("g1"), member, partitions, token)));
  }

  private static Assignment partitions(String topic, int... numbers) {
    return Assignment.of(topic, PartitionSet.of(numbers));
  }

  private double counter(String name) {
    return registry.get(name).counter().count();
  }

  private Timer rebalances() {
    return registry.get(ZkConsumerMetrics.ORIGINAL + "RebalanceRateAndTime").timer();
  }

  private Map<String, Double> ownedOfTopics() {
    Map<String, Double> owned = new TreeMap<>();
    registry
        .find(OWNED_OF_TOPIC)
        .gauges()
        .forEach(gauge -> owned.put(gauge.getId().getTag("topic"), gauge.value()));
    return owned;
  }

  private static List<Tags> tags(MeterRegistry registry) {
    return registry.getMeters().stream()
        .map(meter -> Tags.of(meter.getId().getTags()))
        .distinct()
        .toList();
  }

  @Test
  void aRebalanceIsTimedFromItsFirstTryToItsEnd() {
    started(metrics, 100, "join");
    ended(metrics, 110, true);
    started(metrics, 2110, "retry");
    ended(metrics, 2130, false);
    started(metrics, 5000, "members");
    ended(metrics, 5010, false);

    assertThat(rebalances().count()).isEqualTo(2);
    assertThat(rebalances().totalTime(MILLISECONDS)).isEqualTo(2040);
    assertThat(counter("rebalancer.zk.attempts.failed")).isEqualTo(1);
    assertThat(counter("rebalancer.zk.gave.up")).isZero();
  }

  @Test
  void aRebalanceThatGivesUpIsTimedWithItsLastBackOff() {
    started(metrics, 100, "join");
    ended(metrics, 110, true);
    metrics.on(new Observation.GaveUp(MILLISECONDS.toNanos(2110), "c1"));
    started(metrics, 9000, "topic");

    assertThat(rebalances().count()).isEqualTo(1);
    assertThat(rebalances().totalTime(MILLISECONDS)).isEqualTo(2010);
    assertThat(counter("rebalancer.zk.gave.up")).isEqualTo(1);
  }

  @Test
  void aStrictConsumersRebalanceEndsWithTheNextThatIsNoRetry() {
    started(metrics, 100, "join");
    ended(metrics, 110, true);
    started(metrics, 200, "members");
    ended(metrics, 250, false);

    assertThat(rebalances().count()).isEqualTo(2);
    assertThat(rebalances().totalTime(MILLISECONDS)).isEqualTo(150);
  }

  @Test
  void ownedPartitionsAreThoseThatAreProcessed() {
    entry(metrics, "c1", Kind.CLAIMED, partitions("t", 0));
    assertThat(registry.get(OWNED).gauge().value()).isZero();

    entry(metrics, "c1", Kind.ASSIGNED, partitions("t", 0));
    entry(metrics, "c1", Kind.ASSIGNED, partitions("t", 1));
    entry(metrics, "c1", Kind.ASSIGNED, partitions("u", 0));
    entry(metrics, "c2", Kind.ASSIGNED, partitions("t", 2));
    assertThat(registry.get(OWNED).gauge().value()).isEqualTo(4);
    assertThat(ownedOfTopics()).isEqualTo(Map.of("t", 3.0, "u", 1.0));

    entry(metrics, "c1", Kind.REVOKED, partitions("t", 0, 1).plus(partitions("u", 0)));
    assertThat(registry.get(OWNED).gauge().value()).isEqualTo(1);
    assertThat(ownedOfTopics()).isEqualTo(Map.of("t", 1.0));

    entry(metrics, "c2", Kind.LOST, partitions("t", 2));
    assertThat(registry.get(OWNED).gauge().value()).isZero();
    assertThat(ownedOfTopics()).isEmpty();
  }

  @Test
  void commitsClaimsAndUnreadableZnodesAreCounted() {
    metrics.on(new Observation.OffsetCommitted(0, "c1", new TopicPartition("t", 0), 5));
    metrics.on(new Observation.OffsetCommitted(0, "c1", new TopicPartition("t", 1), 5));
    metrics.on(new Observation.ClaimLost(0, "c1", new TopicPartition("t", 0), "other-0"));
    metrics.on(new Observation.ZnodeUnreadable(0, "c1", "/p", "{}"));

    assertThat(counter(ZkConsumerMetrics.ORIGINAL + "ZooKeeperCommitsPerSec")).isEqualTo(2);
    assertThat(counter("rebalancer.zk.claims.lost")).isEqualTo(1);
    assertThat(counter("rebalancer.zk.znodes.unreadable")).isEqualTo(1);
  }

  @Test
  void commitsToKafkaHaveAMeterOnceItIsAskedFor() {
    String name = ZkConsumerMetrics.ORIGINAL + "KafkaCommitsPerSec";
    assertThat(registry.find(name).meter()).isNull();

    IntConsumer kafka = metrics.kafkaCommits();
    kafka.accept(3);
    metrics.kafkaCommits().accept(2);

    assertThat(counter(name)).isEqualTo(5);
  }

  /** D24: the original removes whatever bears {@code clientId=client...}. */
  @Test
  void closingRemovesItsOwnMetersAndNoOthers() {
    registry.counter("application", "clientId", "client", "groupId", "g1");
    ZkConsumerMetrics sameClient = new ZkConsumerMetrics(registry, "client", "g1");
    ZkConsumerMetrics longerName = new ZkConsumerMetrics(registry, "client-a", "g1");
    for (ZkConsumerMetrics each : List.of(metrics, sameClient, longerName)) {
      each.kafkaCommits();
      entry(each, "c1", Kind.ASSIGNED, partitions("t", 0));
    }
    assertThat(registry.getMeters()).hasSize(1 + 3 * 10);

    metrics.close();
    metrics.close();

    assertThat(registry.getMeters()).hasSize(1 + 2 * 10);
    sameClient.close();
    assertThat(tags(registry))
        .containsExactlyInAnyOrder(
            Tags.of("clientId", "client", "groupId", "g1"),
            Tags.of("clientId", "client-a", "groupId", "g1"),
            Tags.of("clientId", "client-a", "groupId", "g1", "topic", "t"));
    longerName.close();
    assertThat(registry.getMeters()).hasSize(1);
  }

  @Test
  void consumersOfOneNameHaveMetersOfTheirOwn() {
    ZkConsumerMetrics second = new ZkConsumerMetrics(registry, "client", "g1");
    ZkConsumerMetrics otherGroup = new ZkConsumerMetrics(registry, "client", "g2");
    entry(metrics, "c1", Kind.ASSIGNED, partitions("t", 0));
    entry(second, "c2", Kind.ASSIGNED, partitions("t", 1, 2));

    assertThat(registry.get(OWNED).tag("clientId", "client").tag("groupId", "g1").gauge().value())
        .isEqualTo(1);
    assertThat(registry.get(OWNED).tag("clientId", "client-2").gauge().value()).isEqualTo(2);
    assertThat(registry.get(OWNED).tag("groupId", "g2").tag("clientId", "client").gauge().value())
        .isZero();
    otherGroup.close();
  }

  @Test
  void nothingIsRegisteredAfterTheClose() {
    metrics.close();

    entry(metrics, "c1", Kind.ASSIGNED, partitions("t", 0));
    metrics.kafkaCommits().accept(1);
    started(metrics, 1, "join");
    ended(metrics, 2, false);

    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void aRegistryThatFailsDoesNotFailTheEngine() {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public Meter.Id map(Meter.Id id) {
                throw new IllegalStateException("refused: " + id.getName());
              }
            });

    assertThatCode(() -> entry(metrics, "c1", Kind.ASSIGNED, partitions("t", 0)))
        .doesNotThrowAnyException();
    assertThat(registry.find(OWNED_OF_TOPIC).meter()).isNull();
  }

  @Test
  void prometheusRendersTheNamesThatAreDocumented() {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    prometheus.throwExceptionOnRegistrationFailure();
    ZkConsumerMetrics rendered = new ZkConsumerMetrics(prometheus, "client", "g1");
    rendered.kafkaCommits();
    started(rendered, 0, "join");
    entry(rendered, "c1", Kind.ASSIGNED, partitions("t", 0, 1));
    ended(rendered, 1500, false);

    String connector = "kafka_consumer_ZookeeperConsumerConnector_";
    String tags = "{clientId=\"client\",groupId=\"g1\"}";
    assertThat(prometheus.scrape().lines().filter(line -> !line.startsWith("#")))
        .containsExactlyInAnyOrder(
            connector + "RebalanceRateAndTime_seconds_count" + tags + " 1",
            connector + "RebalanceRateAndTime_seconds_sum" + tags + " 1.5",
            connector + "RebalanceRateAndTime_seconds_max" + tags + " 1.5",
            connector + "OwnedPartitionsCount" + tags + " 2.0",
            connector
                + "OwnedPartitionsCountPerTopic{clientId=\"client\",groupId=\"g1\",topic=\"t\"}"
                + " 2.0",
            connector + "ZooKeeperCommitsPerSec_total" + tags + " 0.0",
            connector + "KafkaCommitsPerSec_total" + tags + " 0.0",
            "rebalancer_zk_attempts_failed_total" + tags + " 0.0",
            "rebalancer_zk_claims_lost_total" + tags + " 0.0",
            "rebalancer_zk_gave_up_total" + tags + " 0.0",
            "rebalancer_zk_watches_repaired_total" + tags + " 0.0",
            "rebalancer_zk_znodes_unreadable_total" + tags + " 0.0");
    rendered.close();
    assertThat(prometheus.scrape()).isEmpty();
  }
}
