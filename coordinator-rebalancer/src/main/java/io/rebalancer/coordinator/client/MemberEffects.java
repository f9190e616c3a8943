package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what a {@link MemberState} decides. On the member's event loop. */
final class MemberEffects implements MemberEffect.Visitor {

  private static final Logger LOG = LoggerFactory.getLogger(MemberEffects.class);

  private final MemberLoop loop;
  private final CoordinatorClientConfig config;
  private final MemberRequests requests;
  private final CoordinatorLink link;
  private final MemberTimers timers;
  private final ListenerCalls listener;
  private final RebalanceObserver observer;
  private String trigger = "join";
  private int callsOut;

  MemberEffects(
      MemberLoop loop,
      CoordinatorClientConfig config,
      MemberRequests requests,
      CoordinatorLink link,
      MemberTimers timers,
      ListenerCalls listener,
      RebalanceObserver observer) {
    this.loop = loop;
    this.config = config;
    this.requests = requests;
    this.link = link;
    this.timers = timers;
    this.listener = listener;
    this.observer = observer;
  }

  @Override
  public void onSeek(MemberEffect.Seek effect) {
    link.seek();
  }

  @Override
  public void onDisconnect(MemberEffect.Disconnect effect) {
    link.drop();
  }

  @Override
  public void onListTopics(MemberEffect.ListTopics effect) {
    requests.listTopics(effect);
  }

  @Override
  public void onSendJoin(MemberEffect.SendJoin effect) {
    requests.join(effect, trigger);
  }

  @Override
  public void onAskTopics(MemberEffect.AskTopics effect) {
    requests.askTopics(effect);
  }

  @Override
  public void onSendSync(MemberEffect.SendSync effect) {
    requests.sync(effect);
  }

  @Override
  public void onSendHeartbeat(MemberEffect.SendHeartbeat effect) {
    requests.heartbeat(effect);
  }

  @Override
  public void onSendHeartbeatBeside(MemberEffect.SendHeartbeatBeside effect) {
    requests.heartbeatBeside(effect);
  }

  @Override
  public void onSendLeave(MemberEffect.SendLeave effect) {
    requests.leave(effect);
  }

  @Override
  public void onArmTimer(MemberEffect.ArmTimer effect) {
    timers.arm(effect.timer(), effect.delay().toNanos());
  }

  @Override
  public void onRenewLease(MemberEffect.RenewLease effect) {
    long end = effect.fromNanos() + config.lease().toNanos();
    timers.arm(MemberTimer.LEASE, Math.max(0, end - loop.nanos()));
  }

  @Override
  public void onCancelTimer(MemberEffect.CancelTimer effect) {
    timers.cancel(effect.timer());
  }

  @Override
  public void onCallListener(MemberEffect.CallListener effect) {
    if (callsOut++ == 0) {
      timers.arm(MemberTimer.LISTENER, config.rebalanceTimeout().toNanos());
    }
    listener.call(effect, failed -> loop.execute(() -> returned(failed)));
  }

  private void returned(boolean failed) {
    if (--callsOut == 0) {
      timers.cancel(MemberTimer.LISTENER);
    } else if (!loop.ended().isDone()) {
      timers.arm(MemberTimer.LISTENER, config.rebalanceTimeout().toNanos());
    }
    loop.handle(new MemberEvent.ListenerReturned(failed));
  }

  @Override
  public void onWriteLedger(MemberEffect.WriteLedger effect) {
    observer.on(
        new Observation.Ownership(
            new LedgerEntry(
                loop.nanos(),
                effect.kind(),
                loop.config().group(),
                loop.config().name(),
                effect.partitions(),
                FencingToken.ofGeneration(effect.generation()))));
  }

  @Override
  public void onBeginAttempt(MemberEffect.BeginAttempt effect) {
    trigger = effect.trigger();
    observer.on(
        new Observation.AttemptStarted(
            loop.nanos(), loop.config().name(), effect.attempt(), effect.trigger()));
  }

  @Override
  public void onEndAttempt(MemberEffect.EndAttempt effect) {
    observer.on(
        new Observation.AttemptEnded(
            loop.nanos(),
            loop.config().name(),
            effect.attempt(),
            effect.failed(),
            effect.superseded(),
            effect.before(),
            effect.after()));
  }

  @Override
  public void onEnd(MemberEffect.End effect) {
    timers.cancelAll();
    link.drop();
    if (effect.failure() != null) {
      LOG.error(
          "member {} of group {} ends: {}",
          loop.config().name(),
          loop.config().group(),
          effect.failure());
      observer.on(
          new Observation.MemberRefused(loop.nanos(), loop.config().name(), effect.failure()));
    }
    loop.ended().complete(Optional.ofNullable(effect.failure()));
  }
}
