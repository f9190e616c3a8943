package io.rebalancer.zk.runtime;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.core.znode.ConsumerRegistration;
import io.rebalancer.zk.protocol.ConsumerEffect;
import io.rebalancer.zk.protocol.ConsumerEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out effects on the consumer's thread, and tells the observer of each. */
final class ConsumerEffects implements ConsumerEffect.Visitor<Optional<ConsumerEvent>> {

  private static final Logger log = LoggerFactory.getLogger(ConsumerEffects.class);

  private final MemberConfig config;
  private final List<WatchTarget> firstWatches;
  private final OwnershipListener listener;
  private final GroupRegistry registry;
  private final Checkpoints checkpoints;
  private final Ownership ownership;
  private final Ticker ticker;
  private final DeliveryLoop deliveries;
  private final Consumer<Duration> alarm;
  private final CompletableFuture<String> started;

  ConsumerEffects(
      MemberConfig config,
      List<WatchTarget> firstWatches,
      OwnershipListener listener,
      GroupRegistry registry,
      Checkpoints checkpoints,
      Ownership ownership,
      Ticker ticker,
      DeliveryLoop deliveries,
      Consumer<Duration> alarm,
      CompletableFuture<String> started) {
    this.config = config;
    this.firstWatches = List.copyOf(firstWatches);
    this.listener = listener;
    this.registry = registry;
    this.checkpoints = checkpoints;
    this.ownership = ownership;
    this.ticker = ticker;
    this.deliveries = deliveries;
    this.alarm = alarm;
    this.started = started;
  }

  @Override
  public Optional<ConsumerEvent> onRegister(ConsumerEffect.Register effect) {
    registry.register(new ConsumerRegistration(config.subscription(), System.currentTimeMillis()));
    return Optional.of(new ConsumerEvent.Registered());
  }

  @Override
  public Optional<ConsumerEvent> onSubscribe(ConsumerEffect.Subscribe effect) {
    firstWatches.forEach(this::watch);
    return Optional.of(new ConsumerEvent.Subscribed());
  }

  @Override
  public Optional<ConsumerEvent> onReadBrokers(ConsumerEffect.ReadBrokers effect) {
    return Optional.of(new ConsumerEvent.BrokersRead(registry.readBrokers()));
  }

  @Override
  public Optional<ConsumerEvent> onWatchBrokers(ConsumerEffect.WatchBrokers effect) {
    log.warn("{}: no brokers found when trying to rebalance", config.name());
    watch(WatchTarget.BROKERS);
    return Optional.of(new ConsumerEvent.BrokersWatched());
  }

  private void watch(WatchTarget target) {
    deliveries.watching(target);
    registry.watch(target);
  }

  @Override
  public Optional<ConsumerEvent> onRevoke(ConsumerEffect.Revoke effect) {
    listener.onRevoked(effect.partitions());
    ownership.revoked(effect.partitions());
    return Optional.of(new ConsumerEvent.Revoked());
  }

  @Override
  public Optional<ConsumerEvent> onRelease(ConsumerEffect.Release effect) {
    release(effect.held());
    return Optional.of(new ConsumerEvent.Released());
  }

  private void release(SortedMap<TopicPartition, FencingToken> nodes) {
    for (Map.Entry<TopicPartition, FencingToken> node : nodes.entrySet()) {
      registry.release(node.getKey());
      ownership.released(node.getKey(), node.getValue());
    }
  }

  @Override
  public Optional<ConsumerEvent> onReadGroup(ConsumerEffect.ReadGroup effect) {
    return Optional.of(new ConsumerEvent.GroupRead(registry.readGroup()));
  }

  @Override
  public Optional<ConsumerEvent> onReadOffsets(ConsumerEffect.ReadOffsets effect) {
    effect.partitions().stream().forEach(checkpoints::load);
    return Optional.of(new ConsumerEvent.OffsetsRead());
  }

  /** All are tried, also after one is lost. */
  @Override
  public Optional<ConsumerEvent> onClaim(ConsumerEffect.Claim effect) {
    SortedMap<TopicPartition, FencingToken> won = new TreeMap<>();
    effect
        .plan()
        .claims()
        .forEach(
            (partition, thread) -> {
              GroupRegistry.Claim claim = registry.claim(partition, thread);
              if (claim.won()) {
                ownership.claimed(partition, claim.token());
                won.put(partition, claim.token());
              } else {
                ownership.observe(
                    new Observation.ClaimLost(
                        ticker.nanos(), config.name(), partition, claim.owner()));
              }
            });
    int lost = effect.plan().claims().size() - won.size();
    return Optional.of(ConsumerEvent.ClaimsTried.of(won, lost));
  }

  @Override
  public Optional<ConsumerEvent> onGiveBack(ConsumerEffect.GiveBack effect) {
    release(effect.won());
    return Optional.of(new ConsumerEvent.GivenBack());
  }

  @Override
  public Optional<ConsumerEvent> onAssign(ConsumerEffect.Assign effect) {
    ownership.assigned(effect.held());
    listener.onAssigned(Assignment.ofPartitions(effect.held().keySet()));
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
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onBackOff(ConsumerEffect.BackOff effect) {
    alarm.accept(effect.duration());
    return Optional.empty();
  }

  /** What a listener refused to stop is lost with the session. */
  @Override
  public Optional<ConsumerEvent> onLeave(ConsumerEffect.Leave effect) {
    deliveries.stop();
    ownership.end();
    registry.close();
    return Optional.of(new ConsumerEvent.Left());
  }

  @Override
  public Optional<ConsumerEvent> onResumeDelivery(ConsumerEffect.ResumeDelivery effect) {
    deliveries.renewalHandled();
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportStart(ConsumerEffect.ReportStart effect) {
    started.complete(effect.failure());
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportAttempt(ConsumerEffect.ReportAttempt effect) {
    ownership.observe(
        new Observation.AttemptStarted(
            ticker.nanos(), config.name(), effect.attempt(), effect.trigger().word()));
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportOutcome(ConsumerEffect.ReportOutcome effect) {
    boolean failed = !effect.failure().isEmpty();
    if (failed) {
      log.info(
          "{}: rebalance attempt {} failed: {}", config.name(), effect.attempt(), effect.failure());
    }
    ownership.observe(
        new Observation.AttemptEnded(
            ticker.nanos(),
            config.name(),
            effect.attempt(),
            failed,
            effect.superseded(),
            effect.before(),
            effect.after()));
    return Optional.empty();
  }

  @Override
  public Optional<ConsumerEvent> onReportGaveUp(ConsumerEffect.ReportGaveUp effect) {
    log.warn("{}: can't rebalance after all tries; waiting for the next event", config.name());
    ownership.observe(new Observation.GaveUp(ticker.nanos(), config.name()));
    return Optional.empty();
  }
}
