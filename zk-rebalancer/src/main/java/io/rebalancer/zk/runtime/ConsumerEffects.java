package io.rebalancer.zk.runtime;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.engine.RepeatedFailure;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.zk.protocol.ConsumerEffect;
import io.rebalancer.zk.protocol.ConsumerEvent;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out effects on the consumer's thread, and tells the observer of each. */
final class ConsumerEffects implements ConsumerEffect.Visitor<Optional<ConsumerEvent>> {

  private static final Logger log = LoggerFactory.getLogger(ConsumerEffects.class);

  private final MemberConfig config;
  private final OwnershipListener listener;
  private final GroupRegistry registry;
  private final Offsets offsets;
  private final Ownership ownership;
  private final Shell shell;
  private final RepeatedFailure listenerFailures = new RepeatedFailure();
  private String waitReason = "";
  private String lastFailure = "";

  ConsumerEffects(
      MemberConfig config,
      OwnershipListener listener,
      GroupRegistry registry,
      Offsets offsets,
      Ownership ownership,
      Shell shell) {
    this.config = config;
    this.listener = listener;
    this.registry = registry;
    this.offsets = offsets;
    this.ownership = ownership;
    this.shell = shell;
  }

  /** The consumer's other threads, its alarm clock, and whoever waits for its start. */
  interface Shell {
    void beforeRegistration();

    void subscribe();

    void followTopics();

    void watch(WatchTarget target);

    void resumeDelivery();

    void stopDelivery();

    void wakeAfter(Duration duration, ConsumerEvent event);

    void awaitLapse(long atNanos);

    void onStart(String failure);
  }

  @Override
  public Optional<ConsumerEvent> onRegister(ConsumerEffect.Register effect) {
    shell.beforeRegistration();
    Optional<String> holder =
        registry.register(new ConsumerRegistration(config.topics(), System.currentTimeMillis()));
    return Optional.of(
        holder.isEmpty()
            ? new ConsumerEvent.Registered()
            : new ConsumerEvent.RegistrationHeld(holder.get()));
  }

  @Override
  public Optional<ConsumerEvent> onWaitToRegister(ConsumerEffect.WaitToRegister effect) {
    if (!effect.reason().equals(waitReason)) {
      waitReason = effect.reason();
      log.warn("{}: waiting to register: {}", config.name(), waitReason);
    }
    shell.wakeAfter(effect.duration(), new ConsumerEvent.RegistrationDue());
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onSubscribe(ConsumerEffect.Subscribe effect) {
    shell.subscribe();
    return Optional.of(new ConsumerEvent.Subscribed());
  }

  @Override
  public Optional<ConsumerEvent> onFollowTopics(ConsumerEffect.FollowTopics effect) {
    shell.followTopics();
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReadBrokers(ConsumerEffect.ReadBrokers effect) {
    OptionalInt brokers = registry.readBrokers();
    return Optional.of(
        brokers.isPresent()
            ? new ConsumerEvent.BrokersRead(brokers.getAsInt())
            : new ConsumerEvent.RegistrationMissing());
  }

  @Override
  public Optional<ConsumerEvent> onWatchBrokers(ConsumerEffect.WatchBrokers effect) {
    log.warn("{}: no brokers found when trying to rebalance", config.name());
    shell.watch(WatchTarget.BROKERS);
    return Optional.of(new ConsumerEvent.BrokersWatched());
  }

  /** When the commit fails the listener is asked again in the next attempt, as the original's. */
  @Override
  public Optional<ConsumerEvent> onRevoke(ConsumerEffect.Revoke effect) {
    tell("onRevoked", () -> listener.onRevoked(effect.partitions()));
    ownership.revoked(effect.partitions());
    offsets.endProcessing();
    return Optional.of(new ConsumerEvent.Revoked());
  }

  /** What it throws fails the attempt; the first of its kind is told with its trace. */
  private void tell(String method, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      String failure = "the listener failed in " + method + ": " + e;
      if (listenerFailures.isFirst(failure)) {
        log.warn("{}: {}", config.name(), failure, e);
      }
      throw e instanceof SessionLapsedException lapsed ? lapsed : new RegistryException(failure, e);
    }
  }

  @Override
  public Optional<ConsumerEvent> onRelease(ConsumerEffect.Release effect) {
    release(effect.held());
    return Optional.of(new ConsumerEvent.Released());
  }

  private void release(SortedMap<TopicPartition, FencingToken> nodes) {
    for (Map.Entry<TopicPartition, FencingToken> node : nodes.entrySet()) {
      registry.release(node.getKey(), node.getValue());
      ownership.released(node.getKey(), node.getValue());
    }
  }

  @Override
  public Optional<ConsumerEvent> onReadGroup(ConsumerEffect.ReadGroup effect) {
    return Optional.of(new ConsumerEvent.GroupRead(registry.readGroup()));
  }

  @Override
  public Optional<ConsumerEvent> onReadOffsets(ConsumerEffect.ReadOffsets effect) {
    offsets.load(effect.partitions());
    return Optional.of(new ConsumerEvent.OffsetsRead());
  }

  /** All are tried, also after one is lost; an exception ends it. */
  @Override
  public Optional<ConsumerEvent> onClaim(ConsumerEffect.Claim effect) {
    SortedMap<TopicPartition, FencingToken> won = new TreeMap<>();
    SortedMap<TopicPartition, ThreadId> claims = effect.plan().claims();
    for (Map.Entry<TopicPartition, ThreadId> planned : claims.entrySet()) {
      TopicPartition partition = planned.getKey();
      GroupRegistry.Claim claim;
      try {
        claim = registry.claim(partition, planned.getValue());
      } catch (RegistryException e) {
        log.debug("{}: {} not claimed", config.name(), partition, e);
        return Optional.of(new ConsumerEvent.ClaimsBroken(won, String.valueOf(e.getMessage())));
      }
      if (claim.won()) {
        ownership.claimed(partition, claim.token());
        won.put(partition, claim.token());
      } else {
        ownership.claimLost(partition, claim.owner());
      }
    }
    return Optional.of(ConsumerEvent.ClaimsTried.of(won, claims.size() - won.size()));
  }

  @Override
  public Optional<ConsumerEvent> onGiveBack(ConsumerEffect.GiveBack effect) {
    release(effect.won());
    return Optional.of(new ConsumerEvent.GivenBack());
  }

  @Override
  public Optional<ConsumerEvent> onAssign(ConsumerEffect.Assign effect) {
    ownership.assigned(effect.held());
    Assignment held = Assignment.ofPartitions(effect.held().keySet());
    tell("onAssigned", () -> listener.onAssigned(held));
    int failures = listenerFailures.succeeded();
    if (failures > 1) {
      log.warn("{}: the listener goes on, after {} failures", config.name(), failures);
    }
    return Optional.of(new ConsumerEvent.Assigned());
  }

  /** The listener's exception has nothing to fail: what is lost is lost. */
  @Override
  public Optional<ConsumerEvent> onLose(ConsumerEffect.Lose effect) {
    Assignment lost = ownership.lost(effect.partitions());
    if (!lost.isEmpty()) {
      try {
        listener.onLost(lost);
      } catch (RuntimeException e) {
        log.warn("{}: the listener failed in onLost", config.name(), e);
      }
    }
    offsets.forgetPositions();
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onAwaitLapse(ConsumerEffect.AwaitLapse effect) {
    shell.awaitLapse(effect.atNanos());
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onBackOff(ConsumerEffect.BackOff effect) {
    shell.wakeAfter(effect.duration(), new ConsumerEvent.BackoffEnded());
    return Optional.empty();
  }

  /** What a listener refused to stop is lost with the session. */
  @Override
  public Optional<ConsumerEvent> onLeave(ConsumerEffect.Leave effect) {
    shell.stopDelivery();
    ownership.end();
    registry.close();
    return Optional.of(new ConsumerEvent.Left());
  }

  @Override
  public Optional<ConsumerEvent> onResumeDelivery(ConsumerEffect.ResumeDelivery effect) {
    shell.resumeDelivery();
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportStart(ConsumerEffect.ReportStart effect) {
    shell.onStart(effect.failure());
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportAttempt(ConsumerEffect.ReportAttempt effect) {
    ownership.attemptStarted(effect);
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportOutcome(ConsumerEffect.ReportOutcome effect) {
    if (!effect.failure().isEmpty()) {
      lastFailure = effect.failure();
      log.info(
          "{}: rebalance attempt {} failed: {}", config.name(), effect.attempt(), effect.failure());
    }
    ownership.attemptEnded(effect);
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportOverdue(ConsumerEffect.ReportOverdue effect) {
    log.warn(
        "{}: can't rebalance after all tries, and goes on trying: {}",
        config.name(),
        effect.failure());
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportGaveUp(ConsumerEffect.ReportGaveUp effect) {
    log.warn(
        "{}: can't rebalance after all tries; waiting for the next event: {}",
        config.name(),
        lastFailure);
    ownership.gaveUp();
    return Optional.empty();
  }
}
