package io.rebalancer.zk.runtime;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.zk.protocol.ConsumerEvent;
import io.rebalancer.zk.protocol.ConsumerMachine;
import io.rebalancer.zk.protocol.ConsumerSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One consumer with its two threads. Commits run on the caller's thread and block it, as the
 * original's {@code commitOffsets} did, so that a listener may commit while it is asked to stop.
 */
public final class ZkMember implements GroupMember {

  private static final Duration CRASH_WAIT = Duration.ofSeconds(1);

  private final MemberId id;
  private final GroupRegistry registry;
  private final Ownership ownership;
  private final Checkpoints checkpoints;
  private final DeliveryLoop deliveries;
  private final ConsumerEventLoop loop;
  private final CompletableFuture<String> started = new CompletableFuture<>();
  private volatile boolean crashed;

  /**
   * Makes a member; nothing is sent before {@link #start}.
   *
   * @param watchesBrokers whether brokers are watched from the start, or only once there were none
   */
  public ZkMember(
      MemberConfig config,
      ConsumerSettings settings,
      boolean watchesBrokers,
      OwnershipListener listener,
      GroupRegistry registry,
      Witness witness) {
    requireNonNull(listener, "listener");
    this.id = settings.self();
    this.registry = registry;
    this.ownership = new Ownership(config.group(), witness);
    this.checkpoints = new Checkpoints(registry);
    String thread = "zk-" + id;
    this.deliveries = new DeliveryLoop(thread, registry, this::post);
    this.loop =
        new ConsumerEventLoop(
            thread,
            new ConsumerMachine(settings),
            new ConsumerEffects(
                config,
                listener,
                registry,
                checkpoints,
                ownership,
                new Shell(firstWatches(config, watchesBrokers))),
            this::abort);
  }

  private void post(ConsumerEvent event) {
    loop.post(event);
  }

  private void abort() {
    ownership.end();
    deliveries.stop();
    registry.close();
    started.complete(id + " ended while it started");
  }

  private static List<WatchTarget> firstWatches(MemberConfig config, boolean watchesBrokers) {
    List<WatchTarget> targets = new ArrayList<>();
    targets.add(WatchTarget.MEMBERS);
    if (watchesBrokers) {
      targets.add(WatchTarget.BROKERS);
    }
    config.subscription().streams().keySet().forEach(t -> targets.add(WatchTarget.topic(t)));
    return targets;
  }

  /**
   * Connects and starts to register; waits for the registration at most {@code limit}, then leaves
   * it under way.
   *
   * @throws RegistryException if there is no ZooKeeper session in time
   * @throws IllegalStateException if another session has registered the same id
   */
  public void start(Duration limit) {
    try {
      registry.connect(deliveries);
    } catch (RegistryException e) {
      loop.abandon();
      registry.close();
      throw e;
    }
    deliveries.start();
    loop.start();
    String failure = awaitStart(limit);
    if (!failure.isEmpty()) {
      throw new IllegalStateException(failure);
    }
  }

  private String awaitStart(Duration limit) {
    try {
      return started.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return ""; // The registration is repeated until the connection is back.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    } catch (ExecutionException e) {
      throw new AssertionError("the start is never reported by an exception", e);
    }
  }

  @Override
  public Optional<MemberId> id() {
    return Optional.of(id);
  }

  @Override
  public Assignment assignment() {
    return ownership.processing();
  }

  @Override
  public CompletableFuture<Void> commit(Map<TopicPartition, Long> offsets) {
    Assignment owned = ownership.processing();
    List<TopicPartition> foreign =
        offsets.keySet().stream().filter(partition -> !owned.contains(partition)).sorted().toList();
    if (!foreign.isEmpty()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              id + ": commit of " + foreign + " (expected: partitions it owns)"));
    }
    try {
      offsets.forEach(checkpoints::store);
      return CompletableFuture.completedFuture(null);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(new IOException(e.getMessage(), e));
    }
  }

  @Override
  public CompletableFuture<Optional<Long>> committed(TopicPartition partition) {
    try {
      OptionalLong offset = registry.readOffset(partition);
      return CompletableFuture.completedFuture(
          offset.isPresent() ? Optional.of(offset.getAsLong()) : Optional.empty());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(new IOException(e.getMessage(), e));
    }
  }

  /**
   * Waits for the attempt that runs; unlike the original it cuts a back-off short, and so does not
   * wait for the tries that would follow.
   */
  @Override
  public void close() {
    requestClose();
    awaitClosed();
  }

  /** Has all of them leave at once, each on its own thread, then waits for each. */
  public static void closeAll(Collection<ZkMember> members) {
    members.forEach(ZkMember::requestClose);
    members.forEach(ZkMember::awaitClosed);
  }

  private void requestClose() {
    if (!crashed) {
      loop.post(new ConsumerEvent.CloseRequested());
      registry.stopWaiting();
    }
  }

  private void awaitClosed() {
    if (crashed || loop.isCurrentThread()) {
      return; // A listener closes its own member: the loop leaves when the call has returned.
    }
    try {
      loop.awaitEnd();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether it has left, crashed or failed. */
  public boolean isGone() {
    return loop.hasEnded();
  }

  /** No listener is called: a killed process calls nobody. */
  @Override
  public void crash() {
    crashed = true;
    ownership.end();
    loop.kill();
    registry.crash();
    deliveries.stop();
    if (!loop.isCurrentThread()) {
      try {
        loop.awaitEnd(CRASH_WAIT);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private final class Shell implements ConsumerEffects.Shell {

    private final List<WatchTarget> firstWatches;

    Shell(List<WatchTarget> firstWatches) {
      this.firstWatches = firstWatches;
    }

    @Override
    public void subscribe() {
      firstWatches.forEach(deliveries::watch);
    }

    @Override
    public void watch(WatchTarget target) {
      deliveries.watch(target);
    }

    @Override
    public void resumeDelivery() {
      deliveries.renewalHandled();
    }

    @Override
    public void stopDelivery() {
      deliveries.stop();
    }

    @Override
    public void wakeAfter(Duration duration) {
      loop.wakeAfter(duration);
    }

    @Override
    public void onStart(String failure) {
      started.complete(failure);
    }
  }
}
