package io.rebalancer.zk.runtime;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.zk.protocol.GroupView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A group of one with two partitions, kept in memory, that fails when it is told to. */
final class FakeRegistry implements GroupRegistry {

  private final MemberId self;
  private final AtomicLong czxid = new AtomicLong(100);
  private volatile @Nullable ConsumerRegistration registration;
  private volatile @Nullable Deliveries deliveries;
  final Map<TopicPartition, ThreadId> owners = new ConcurrentHashMap<>();
  final AtomicInteger registrations = new AtomicInteger();
  final AtomicInteger failingClaims = new AtomicInteger();
  volatile boolean refusesRegistration;
  volatile Sighting sighting = new Sighting("/seen", true, 1, 1);
  final AtomicInteger looks = new AtomicInteger();
  final AtomicBoolean lapsed = new AtomicBoolean();
  volatile boolean closed;
  volatile boolean crashed;

  FakeRegistry(MemberId self) {
    this.self = self;
  }

  void fire(WatchTarget target) {
    deliveries.onFired(target);
  }

  /** As after an expiry: everything ephemeral is gone. */
  void renewSession() {
    registration = null;
    owners.clear();
    deliveries.onSessionRenewed();
  }

  @Override
  public void connect(Deliveries next) {
    deliveries = next;
  }

  @Override
  public Optional<String> register(ConsumerRegistration next) {
    registrations.incrementAndGet();
    if (refusesRegistration) {
      throw new RegistryException("/consumers/g/ids/" + self + ": held by another", null);
    }
    registration = next;
    return Optional.empty();
  }

  @Override
  public Sighting watch(WatchTarget target) {
    return sighting;
  }

  @Override
  public Sighting rearm(WatchTarget target) {
    looks.incrementAndGet();
    return sighting;
  }

  @Override
  public void lapsesOn(Thread thread) {}

  @Override
  public boolean takeLapse() {
    return lapsed.getAndSet(false);
  }

  @Override
  public List<String> listTopics() {
    return List.of("t");
  }

  @Override
  public OptionalInt readBrokers() {
    return registration == null ? OptionalInt.empty() : OptionalInt.of(1);
  }

  @Override
  public GroupView readGroup() {
    return GroupView.copyOf(
        Map.of(self, (Subscription) registration.topics()), Map.of("t", PartitionSet.range(0, 2)));
  }

  @Override
  public OptionalLong readOffset(TopicPartition partition) {
    return OptionalLong.empty();
  }

  @Override
  public OptionalLong checkpoint(TopicPartition partition) {
    return OptionalLong.empty();
  }

  @Override
  public boolean writeOffset(TopicPartition partition, long offset) {
    return true;
  }

  @Override
  public Duration grantedSession() {
    return Duration.ofSeconds(6);
  }

  @Override
  public Claim claim(TopicPartition partition, ThreadId thread) {
    if (partition.partition() == 1 && failingClaims.getAndDecrement() > 0) {
      throw new RegistryException("/consumers/g/owners/t/1: NOAUTH", null);
    }
    owners.put(partition, thread);
    return Claim.won(FencingToken.ofOwnerNode(czxid.incrementAndGet()));
  }

  @Override
  public void release(TopicPartition partition, FencingToken token) {
    owners.remove(partition);
  }

  @Override
  public void stopWaiting() {}

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void crash() {
    crashed = true;
  }
}
