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
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer with its two threads, and a third once positions are committed in turn. Commits run
 * on the caller's thread and block it, as the original's {@code commitOffsets} did, so that a
 * listener may commit while it is asked to stop.
 */
public final class ZkMember implements GroupMember {

  private static final Logger log = LoggerFactory.getLogger(ZkMember.class);

  private static final Duration CRASH_WAIT = Duration.ofSeconds(1);

  private final MemberId id;
  private final GroupRegistry registry;
  private final Ownership ownership;
  private final Offsets offsets;
  private final AutoCommit autoCommit;
  private final DeliveryLoop deliveries;
  private final ConsumerEventLoop loop;
  private final CompletableFuture<String> started = new CompletableFuture<>();
  private volatile boolean crashed;
  private volatile boolean waitedForStart = true;

  /** Makes a member; nothing is sent before {@link #start}. */
  public ZkMember(
      MemberConfig config,
      ConsumerSettings settings,
      WatchRules watches,
      OffsetRules offsetRules,
      OwnershipListener listener,
      GroupRegistry registry,
      Witness witness) {
    requireNonNull(listener, "listener");
    this.id = settings.self();
    this.registry = registry;
    this.ownership = new Ownership(config.group(), witness);
    this.offsets = new Offsets(config.name(), registry, offsetRules, ownership);
    String thread = "zk-" + id;
    this.autoCommit = new AutoCommit(thread + "-commits", offsetRules, offsets::commitInTurn);
    SubscribedTopics topics =
        new SubscribedTopics(config.name(), config.topics(), watches.excludedTopics(), registry);
    this.deliveries = new DeliveryLoop(thread, registry, topics, watches, witness, this::post);
    this.loop =
        new ConsumerEventLoop(
            thread,
            new ConsumerMachine(settings),
            new ConsumerEffects(
                config, listener, registry, offsets, ownership, new Shell(topics, watches)),
            registry::takeLapse,
            this::abort);
    registry.lapsesOn(loop.thread());
  }

  private void post(ConsumerEvent event) {
    loop.post(event);
  }

  private void abort() {
    autoCommit.close();
    ownership.end();
    deliveries.stop();
    registry.close();
    started.complete(id + " ended while it started");
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

  /** What the server has granted of the session timeout that was asked for; once started. */
  public Duration grantedSession() {
    return registry.grantedSession();
  }

  private String awaitStart(Duration limit) {
    try {
      return started.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      waitedForStart = false;
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
  public CompletableFuture<Void> commit(Map<TopicPartition, Long> positions) {
    return answer(() -> offsets.commit(positions));
  }

  @Override
  public CompletableFuture<Optional<Long>> committed(TopicPartition partition) {
    CompletableFuture<Optional<Long>> answer = new CompletableFuture<>();
    try {
      OptionalLong offset = offsets.committed(partition);
      answer.complete(offset.isPresent() ? Optional.of(offset.getAsLong()) : Optional.empty());
    } catch (RuntimeException e) {
      answer.completeExceptionally(new IOException(e.getMessage(), e));
    }
    return answer;
  }

  /**
   * Reports the position after the last processed record, to be committed in turn; the last report
   * counts. Returns at once.
   *
   * @throws IllegalStateException if this member does not own the partition
   */
  public void report(TopicPartition partition, long position) {
    offsets.report(partition, position);
    autoCommit.start();
  }

  /** Commits every reported position, on the caller's thread; fails as {@link #commit(Map)}. */
  public CompletableFuture<Void> commitReported() {
    return answer(offsets::commitPositions);
  }

  private static CompletableFuture<Void> answer(Runnable commit) {
    try {
      commit.run();
      return CompletableFuture.completedFuture(null);
    } catch (IllegalStateException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
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
      autoCommit.close();
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
    autoCommit.close();
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

    private final SubscribedTopics topics;
    private final WatchRules watches;
    private boolean registering;

    Shell(SubscribedTopics topics, WatchRules watches) {
      this.topics = topics;
      this.watches = watches;
    }

    @Override
    public void beforeRegistration() {
      if (!registering) {
        registering = true;
        topics.list();
      }
    }

    @Override
    public void subscribe() {
      deliveries.watch(WatchTarget.MEMBERS);
      if (watches.brokers()) {
        deliveries.watch(WatchTarget.BROKERS);
      }
      deliveries.watchTopics();
    }

    @Override
    public void followTopics() {
      deliveries.followTopics();
    }

    @Override
    public void watch(WatchTarget target) {
      deliveries.watch(target);
    }

    @Override
    public void resumeDelivery() {
      deliveries.resume();
    }

    @Override
    public void stopDelivery() {
      deliveries.stop();
    }

    @Override
    public void wakeAfter(Duration duration, ConsumerEvent event) {
      loop.wakeAfter(duration, event);
    }

    @Override
    public void awaitLapse(long atNanos) {
      loop.wakeAtLapse(atNanos);
    }

    @Override
    public void onStart(String failure) {
      if (!failure.isEmpty() && !waitedForStart) {
        log.warn("{}: not started: {}", id, failure);
      }
      started.complete(failure);
    }
  }
}
