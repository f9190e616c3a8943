package io.rebalancer.coordinator.simulation;

import io.rebalancer.coordinator.runtime.TopicCatalog;
import io.rebalancer.coordinator.runtime.TopicInfo;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/** What everybody in one run shares: time, chance, topics, the network's mood, and the trace. */
final class World {

  static final GroupId GROUP = new GroupId("g");

  final VirtualTime time = new VirtualTime();
  final SplittableRandom random;
  final Codec codec = new Codec();
  final Map<String, Integer> topics = new TreeMap<>();
  final PlantedFault planted;

  /** Whether the coordinator assigns. */
  boolean served;

  final List<String> trace = new ArrayList<>();

  /** Topics that were deleted, perhaps to come again. */
  final Set<String> removed = new HashSet<>();

  private final boolean traced;
  private long fingerprint = 1;

  /** How long positions are kept that nobody needs. */
  int retentionMs;

  /** Of a thousand messages: so many are lost with their connection, repeated, or slow. */
  int lost;

  int repeated;
  int slow;

  /** Of a thousand assignments of the coordinator's: so many take long, or fail. */
  int slowAssignments;

  int failingAssignments;

  World(long seed, PlantedFault planted, boolean traced) {
    random = new SplittableRandom(seed);
    this.planted = planted;
    this.traced = traced;
  }

  long now() {
    return time.nanos() / 1_000_000;
  }

  /** What processes stamp commits with. */
  Clock clock() {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        return this;
      }

      @Override
      public Instant instant() {
        return Instant.ofEpochMilli(now());
      }
    };
  }

  void after(long ms, Runnable action) {
    time.schedule(Duration.ofMillis(Math.max(0, ms)), action);
  }

  /** Both ends included. */
  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  boolean chance(int permille) {
    return permille > 0 && random.nextInt(1000) < permille;
  }

  /** How long a message takes. */
  int delay() {
    return chance(slow) ? between(20, 800) : between(0, 4);
  }

  void note(long detail, Supplier<String> text) {
    fingerprint = (fingerprint * 31 + detail) * 31 + time.nanos();
    if (traced) {
      trace.add("%8d ".formatted(now()) + text.get());
    }
  }

  /** Of everything noted up to now. */
  long fingerprint() {
    return fingerprint;
  }

  Map<String, PartitionSet> partitions() {
    Map<String, PartitionSet> all = new TreeMap<>();
    topics.forEach((topic, count) -> all.put(topic, PartitionSet.range(0, count)));
    return all;
  }

  TopicCatalog catalog() {
    Map<String, TopicInfo> all = new TreeMap<>();
    partitions()
        .forEach(
            (topic, set) ->
                all.put(topic, new TopicInfo(topic, new UUID(0, topic.hashCode()), set)));
    return TopicCatalog.of(all);
  }

  static Assignment share(TopicPartition partition) {
    return Assignment.of(partition.topic(), PartitionSet.of(partition.partition()));
  }
}
