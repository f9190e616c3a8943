package io.rebalancer.zk;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.MeterRegistry;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OffsetStore;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.zk.metrics.ZkConsumerMetrics;
import io.rebalancer.zk.runtime.ZkMember;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One consumer of a ZooKeeper-based group: it is told which partitions it owns, and processes them
 * as it likes. It shares its group with consumers of kafka 0.8-1.1 ({@code
 * ZookeeperConsumerConnector}), or with others of its kind in a pool of workers that has no kafka.
 *
 * <pre>{@code
 * try (ZkConsumer consumer = ZkConsumer.with(properties).listener(listener).join(Map.of("t", 1))) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Thread-safe. It has a ZooKeeper session of its own, and calls its listener on a thread of its
 * own.
 */
public final class ZkConsumer implements AutoCloseable {

  private final ZkRebalanceEngine engine;
  private final ZkMember member;

  private final @Nullable ZkConsumerMetrics metrics;

  private ZkConsumer(
      ZkRebalanceEngine engine, ZkMember member, @Nullable ZkConsumerMetrics metrics) {
    this.engine = engine;
    this.member = member;
    this.metrics = metrics;
  }

  /**
   * Begins with the original's properties; see {@link ConsumerProperties}. {@code group.id} and
   * {@code zookeeper.connect} are required.
   */
  public static Builder with(Map<?, ?> properties) {
    return new Builder(properties);
  }

  /** The id it is registered under: {@code GROUP_CONSUMERID}. */
  public MemberId id() {
    return member.id().orElseThrow();
  }

  /** What it owns at this moment; changes at any time. */
  public Assignment assignment() {
    return member.assignment();
  }

  /**
   * Commits, and waits for it; the value is the offset after the last processed record.
   *
   * <p>The future is done on return. It fails with {@link IllegalStateException} when a partition
   * is not owned any more, with {@link java.io.IOException} when the store did not take it.
   */
  public CompletableFuture<Void> commit(Map<TopicPartition, Long> offsets) {
    return member.commit(offsets);
  }

  /** Commits every position that was reported of what it owns; otherwise as the other one. */
  public CompletableFuture<Void> commit() {
    return member.commitReported();
  }

  /**
   * Reports the offset after the last processed record. With {@code auto.commit.enable} reported
   * positions are committed after each {@code auto.commit.interval.ms}, after each {@link
   * OwnershipListener#onRevoked}, and on close. Returns at once.
   *
   * @throws IllegalStateException if it does not own the partition
   */
  public void report(TopicPartition partition, long offset) {
    member.report(partition, offset);
  }

  /** The stored offset; empty when none was ever stored. The future is done on return. */
  public CompletableFuture<Optional<Long>> committed(TopicPartition partition) {
    return member.committed(partition);
  }

  /** Revokes, commits as configured, leaves, and returns when done. Idempotent. */
  @Override
  public void close() {
    engine.close();
    if (metrics != null) {
      metrics.close();
    }
  }

  /** What a consumer is made with. */
  public static final class Builder {

    private final Map<?, ?> properties;
    private OwnershipListener listener = OwnershipListener.none();
    private RebalanceObserver observer = RebalanceObserver.none();
    private @Nullable OffsetStore offsetStore;
    private @Nullable MeterRegistry meters;
    private Map<String, Integer> partitions = Map.of();

    private Builder(Map<?, ?> properties) {
      this.properties = requireNonNull(properties, "properties");
    }

    /** Told before partitions are released, after they were won, and when they are lost. */
    public Builder listener(OwnershipListener value) {
      listener = requireNonNull(value, "value");
      return this;
    }

    /** Told of every step. */
    public Builder observer(RebalanceObserver value) {
      observer = requireNonNull(value, "value");
      return this;
    }

    /** Where its metrics are registered until it is closed; see docs/metrics.md. */
    public Builder metrics(MeterRegistry value) {
      meters = requireNonNull(value, "value");
      return this;
    }

    /** For {@code offsets.storage=kafka}. */
    public Builder offsetStore(OffsetStore value) {
      offsetStore = requireNonNull(value, "value");
      return this;
    }

    /**
     * Topics with their numbers of partitions, in place of those in {@code /brokers}: for pools
     * without kafka. Every member of the group must be given the same.
     */
    public Builder partitions(Map<String, Integer> value) {
      partitions = Map.copyOf(value);
      return this;
    }

    /**
     * Joins for topics by name, each with its number of streams, as the original's {@code
     * createMessageStreams}. Returns when it is registered; what it owns follows through the
     * listener.
     *
     * @throws IllegalArgumentException for a property or topic that cannot be
     * @throws IllegalStateException if the consumer id is taken, or the chroot does not exist
     * @throws java.io.UncheckedIOException if ZooKeeper is not reached in time
     */
    public ZkConsumer join(Map<String, Integer> streams) {
      return join(Subscription.copyOf(streams));
    }

    /**
     * Joins for every topic that the filter lets through, now or later; {@code streams} of each.
     * Throws as {@link #join(Map)}.
     */
    public ZkConsumer join(TopicFilter filter, int streams) {
      return join(new WildcardSubscription(filter, streams));
    }

    private ZkConsumer join(TopicSelection topics) {
      ConsumerProperties parsed = ConsumerProperties.parse(properties, offsetStore);
      MemberConfig config = new MemberConfig(parsed.group(), parsed.consumerId(), topics);
      ZkEngineConfig engineConfig = parsed.engine().withGivenPartitions(partitions);
      if (meters == null) {
        return start(engineConfig, observer, config, null);
      }
      ZkConsumerMetrics metrics =
          new ZkConsumerMetrics(meters, parsed.clientId(), parsed.group().value());
      OffsetStore store = engineConfig.offsetStore();
      return start(
          store == null ? engineConfig : engineConfig.withOffsetStore(counted(store, metrics)),
          observation -> {
            metrics.on(observation);
            observer.on(observation);
          },
          config,
          metrics);
    }

    private ZkConsumer start(
        ZkEngineConfig engineConfig,
        RebalanceObserver told,
        MemberConfig config,
        @Nullable ZkConsumerMetrics metrics) {
      ZkRebalanceEngine engine = new ZkRebalanceEngine(engineConfig, told);
      try {
        return new ZkConsumer(engine, engine.join(config, listener), metrics);
      } catch (RuntimeException e) {
        engine.close();
        if (metrics != null) {
          metrics.close();
        }
        throw e;
      }
    }

    private static OffsetStore counted(OffsetStore store, ZkConsumerMetrics metrics) {
      IntConsumer commits = metrics.kafkaCommits();
      return new OffsetStore() {
        @Override
        public Map<TopicPartition, Long> fetch(Set<TopicPartition> wanted) {
          return store.fetch(wanted);
        }

        @Override
        public Set<TopicPartition> commit(Map<TopicPartition, Long> offsets) {
          Set<TopicPartition> accepted = store.commit(offsets);
          commits.accept(accepted.size());
          return accepted;
        }
      };
    }
  }
}
