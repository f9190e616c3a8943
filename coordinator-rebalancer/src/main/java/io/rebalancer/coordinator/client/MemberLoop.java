package io.rebalancer.coordinator.client;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what {@link MemberState} decides: its connection, timers, listener calls and
 * observations. All on one event loop, which many members share; only the listener runs elsewhere.
 */
final class MemberLoop implements MemberEffect.Visitor {

  private static final Logger LOG = LoggerFactory.getLogger(MemberLoop.class);

  /** What other threads may see. */
  record Snapshot(Optional<MemberId> id, Assignment owned, int generation, boolean away) {}

  private final CoordinatorClientConfig config;
  private final MemberConfig member;
  private final EventLoop loop;
  private final ListenerCalls listener;
  private final RebalanceObserver observer;
  private final MemberMeter meter;
  private final Ticker ticker;
  private final MemberState state;
  private final GroupMessages messages;
  private final MatchLog matches;
  private final CoordinatorSearch search;
  private final CoordinatorLink link;
  private final Map<MemberTimer, ScheduledFuture<?>> timers = new EnumMap<>(MemberTimer.class);
  private final Deque<MemberEvent> events = new ArrayDeque<>();
  private final Deque<Runnable> afterRound = new ArrayDeque<>();
  private final CompletableFuture<Optional<String>> ended = new CompletableFuture<>();
  private volatile Snapshot snapshot =
      new Snapshot(Optional.empty(), Assignment.empty(), MemberState.NO_GENERATION, false);
  private boolean handling;
  private String trigger = "join";
  private int callsOut;

  private volatile long delayUntilNanos;

  /** When the application last called; 0 before it has ever done so. */
  private volatile long polledAtNanos;

  MemberLoop(
      CoordinatorClientConfig config,
      MemberConfig member,
      EventLoop loop,
      ListenerCalls listener,
      RebalanceObserver observer,
      MemberMeter meter,
      Ticker ticker) {
    this.config = config;
    this.member = member;
    this.loop = loop;
    this.listener = listener;
    this.observer = observer;
    this.meter = meter;
    this.ticker = ticker;
    this.delayUntilNanos = ticker.nanos();
    Strategy strategy = Strategies.named(config.assignmentStrategy());
    this.state = new MemberState(MemberRules.of(config, strategy, member.topics()));
    this.matches = new MatchLog(member);
    this.messages = new GroupMessages(member, config, strategy);
    this.search = new CoordinatorSearch(loop, config, member.group(), member.name());
    this.link = new CoordinatorLink(member.name(), search, this::handle);
  }

  Snapshot snapshot() {
    return snapshot;
  }

  /** Completes with the failure that ended the member, or empty when it was closed or crashed. */
  CompletableFuture<Optional<String>> ended() {
    return ended;
  }

  /** As {@link CoordinatorSearch#reached}. */
  CompletableFuture<Void> reached() {
    return search.reached();
  }

  MemberConfig config() {
    return member;
  }

  /** From any thread; zero when nothing is delayed. */
  Duration delayLeft() {
    return Duration.ofNanos(Math.max(0, delayUntilNanos - ticker.nanos()));
  }

  long nanos() {
    return ticker.nanos();
  }

  /** From any thread. Once the engine is closed nothing happens any more. */
  void post(MemberEvent event) {
    execute(() -> handle(event));
  }

  /** From any thread; false once the engine is closed. */
  boolean execute(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * On the loop: at once, or when the Join or Sync that is out is over. What is sent behind one
   * would wait for its answer, and then be of an earlier generation.
   */
  void whenNotInRound(Runnable task) {
    if (state.phase.inRound()) {
      afterRound.addLast(task);
    } else {
      task.run();
    }
  }

  /** Events that effects cause wait until the effects before them are done. */
  private void handle(MemberEvent event) {
    events.addLast(event);
    if (handling) {
      return;
    }
    handling = true;
    try {
      for (MemberEvent next = events.poll(); next != null; next = events.poll()) {
        carryOut(state.on(next));
        if (!state.phase.inRound()) {
          link.closeBeside();
        }
        while (!afterRound.isEmpty() && !state.phase.inRound()) {
          afterRound.poll().run();
        }
      }
    } catch (RuntimeException e) {
      abandon(e);
    } finally {
      handling = false;
    }
  }

  private void carryOut(List<MemberEffect> effects) {
    snapshot =
        new Snapshot(
            Optional.ofNullable(state.member),
            state.owned(),
            state.generation,
            state.phase == MemberPhase.AWAY);
    long now = ticker.nanos();
    delayUntilNanos = now + messages.remainingDelay(now).toNanos();
    effects.forEach(effect -> effect.accept(this));
  }

  /** A broken invariant, or an observer that threw, ends this member and no other. */
  private void abandon(RuntimeException broken) {
    LOG.error("member {} of group {} ends", member.name(), member.group(), broken);
    ended.complete(Optional.of(broken.toString()));
    events.clear();
    carryOut(state.on(new MemberEvent.CrashRequested()));
  }

  // Connection.

  @Override
  public void onSeek(MemberEffect.Seek effect) {
    link.seek();
  }

  @Override
  public void onDisconnect(MemberEffect.Disconnect effect) {
    link.drop();
  }

  /** For requests outside the group's rounds; on the loop. Null while there is none. */
  @Nullable CoordinatorConnection connection() {
    return link.connection();
  }

  // Requests.

  @Override
  public void onListTopics(MemberEffect.ListTopics effect) {
    link.<MetadataResponseData>send(
        ApiKeys.METADATA,
        GroupMessages.allTopics(),
        config.requestTimeout(),
        answer -> messages.topicsListed(effect.attempt(), answer));
  }

  @Override
  public void onSendJoin(MemberEffect.SendJoin effect) {
    matches.joins(effect.topics());
    long sent = ticker.nanos();
    link.<JoinGroupResponseData>send(
        ApiKeys.JOIN_GROUP,
        messages.join(effect, trigger, sent),
        config.joinTimeout(),
        answer ->
            messages.joined(effect.attempt(), answer, sent, answered(ApiKeys.JOIN_GROUP, sent)));
  }

  @Override
  public void onAskTopics(MemberEffect.AskTopics effect) {
    link.<MetadataResponseData>send(
        ApiKeys.METADATA,
        GroupMessages.topics(effect.topics()),
        config.requestTimeout(),
        answer -> GroupMessages.topicsKnown(effect.attempt(), answer));
  }

  @Override
  public void onSendSync(MemberEffect.SendSync effect) {
    long sent = ticker.nanos();
    link.<SyncGroupResponseData>send(
        ApiKeys.SYNC_GROUP,
        messages.sync(effect.generation(), effect.member(), effect.shares()),
        config.requestTimeout(),
        answer -> messages.synced(effect, answer, sent, answered(ApiKeys.SYNC_GROUP, sent)));
  }

  @Override
  public void onSendHeartbeat(MemberEffect.SendHeartbeat effect) {
    long sent = ticker.nanos();
    link.<HeartbeatResponseData>send(
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        answer ->
            messages.told(effect.generation(), answer, sent, answered(ApiKeys.HEARTBEAT, sent)));
  }

  @Override
  public void onSendHeartbeatBeside(MemberEffect.SendHeartbeatBeside effect) {
    long sent = ticker.nanos();
    link.<HeartbeatResponseData>sendBeside(
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        answer ->
            messages.told(effect.generation(), answer, sent, answered(ApiKeys.HEARTBEAT, sent)));
  }

  /** Now, which the meter is told of a request that was sent then. */
  long answered(ApiKeys request, long sentAtNanos) {
    long now = ticker.nanos();
    meter.answered(request, sentAtNanos, now);
    return now;
  }

  @Override
  public void onSendLeave(MemberEffect.SendLeave effect) {
    if (!effect.reason().equals(MemberState.CLOSED)) {
      LOG.warn("member {} leaves group {}: {}", member.name(), member.group(), effect.reason());
    }
    link.leave(
        messages.leave(effect.member(), effect.reason()),
        config.requestTimeout(),
        effect.onNewConnection());
  }

  // Time.

  @Override
  public void onArmTimer(MemberEffect.ArmTimer effect) {
    arm(effect.timer(), effect.delay().toNanos());
  }

  @Override
  public void onRenewLease(MemberEffect.RenewLease effect) {
    long end = effect.fromNanos() + config.lease().toNanos();
    arm(MemberTimer.LEASE, Math.max(0, end - ticker.nanos()));
  }

  /**
   * From any thread. From the first call on they have to go on: the clock is read here, and the
   * loop is bothered only when that matters to the member.
   */
  void keepAlive() {
    boolean first = polledAtNanos == 0;
    long now = ticker.nanos();
    polledAtNanos = now == 0 ? 1 : now;
    if (first || snapshot.away()) {
      execute(
          () -> {
            if (!timers.containsKey(MemberTimer.POLL)) {
              armPoll();
            }
            handle(new MemberEvent.Polled());
          });
    }
  }

  private void armPoll() {
    long left = polledAtNanos + config.rebalanceTimeout().toNanos() - ticker.nanos();
    timers.put(MemberTimer.POLL, loop.schedule(this::pollDue, left, TimeUnit.NANOSECONDS));
  }

  private void pollDue() {
    timers.remove(MemberTimer.POLL);
    if (ended.isDone()) {
      return;
    }
    if (ticker.nanos() - polledAtNanos < config.rebalanceTimeout().toNanos()) {
      armPoll();
    } else {
      handle(new MemberEvent.TimerFired(MemberTimer.POLL));
    }
  }

  private void arm(MemberTimer timer, long delayNanos) {
    cancel(timer);
    timers.put(
        timer,
        loop.schedule(
            () -> handle(new MemberEvent.TimerFired(timer)), delayNanos, TimeUnit.NANOSECONDS));
  }

  @Override
  public void onCancelTimer(MemberEffect.CancelTimer effect) {
    cancel(effect.timer());
  }

  private void cancel(MemberTimer timer) {
    ScheduledFuture<?> armed = timers.remove(timer);
    if (armed != null) {
      armed.cancel(false);
    }
  }

  // Listener and observer.

  @Override
  public void onCallListener(MemberEffect.CallListener effect) {
    if (callsOut++ == 0) {
      arm(MemberTimer.LISTENER, config.rebalanceTimeout().toNanos());
    }
    listener.call(effect, failed -> execute(() -> returned(failed)));
  }

  private void returned(boolean failed) {
    if (--callsOut == 0) {
      cancel(MemberTimer.LISTENER);
    } else if (!ended.isDone()) {
      arm(MemberTimer.LISTENER, config.rebalanceTimeout().toNanos());
    }
    handle(new MemberEvent.ListenerReturned(failed));
  }

  @Override
  public void onWriteLedger(MemberEffect.WriteLedger effect) {
    observer.on(
        new Observation.Ownership(
            new LedgerEntry(
                ticker.nanos(),
                effect.kind(),
                member.group(),
                member.name(),
                effect.partitions(),
                FencingToken.ofGeneration(effect.generation()))));
  }

  @Override
  public void onBeginAttempt(MemberEffect.BeginAttempt effect) {
    trigger = effect.trigger();
    observer.on(
        new Observation.AttemptStarted(
            ticker.nanos(), member.name(), effect.attempt(), effect.trigger()));
  }

  @Override
  public void onEndAttempt(MemberEffect.EndAttempt effect) {
    observer.on(
        new Observation.AttemptEnded(
            ticker.nanos(),
            member.name(),
            effect.attempt(),
            effect.failed(),
            effect.superseded(),
            effect.before(),
            effect.after()));
  }

  @Override
  public void onEnd(MemberEffect.End effect) {
    for (MemberTimer timer : MemberTimer.values()) {
      cancel(timer);
    }
    link.drop();
    if (effect.failure() != null) {
      LOG.error("member {} of group {} ends: {}", member.name(), member.group(), effect.failure());
      observer.on(new Observation.MemberRefused(ticker.nanos(), member.name(), effect.failure()));
    }
    ended.complete(Optional.ofNullable(effect.failure()));
  }
}
