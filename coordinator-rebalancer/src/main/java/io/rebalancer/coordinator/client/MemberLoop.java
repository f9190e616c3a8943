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
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what {@link MemberState} decides: its connection, timers, listener calls and
 * observations. All on one event loop, which many members share; only the listener runs elsewhere.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Every stage ends in an event, failures too.
final class MemberLoop implements MemberEffect.Visitor {

  private static final Logger LOG = LoggerFactory.getLogger(MemberLoop.class);

  /** What other threads may see. */
  record Snapshot(Optional<MemberId> id, Assignment owned, int generation) {}

  private final CoordinatorClientConfig config;
  private final MemberConfig member;
  private final EventLoop loop;
  private final ListenerCalls listener;
  private final RebalanceObserver observer;
  private final Ticker ticker;
  private final MemberState state;
  private final GroupMessages messages;
  private final CoordinatorSearch search;
  private final Map<MemberTimer, ScheduledFuture<?>> timers = new EnumMap<>(MemberTimer.class);
  private final Deque<MemberEvent> events = new ArrayDeque<>();
  private final CompletableFuture<Optional<String>> ended = new CompletableFuture<>();
  private volatile Snapshot snapshot =
      new Snapshot(Optional.empty(), Assignment.empty(), MemberState.NO_GENERATION);
  private @Nullable CoordinatorConnection connection;
  private int searches;
  private boolean seeking;
  private boolean handling;

  MemberLoop(
      CoordinatorClientConfig config,
      MemberConfig member,
      EventLoop loop,
      ListenerCalls listener,
      RebalanceObserver observer,
      Ticker ticker) {
    this.config = config;
    this.member = member;
    this.loop = loop;
    this.listener = listener;
    this.observer = observer;
    this.ticker = ticker;
    this.state =
        new MemberState(
            Strategies.named(config.assignmentStrategy()),
            config.heartbeatInterval(),
            config.retryBackoff());
    this.messages = new GroupMessages(member.group(), config, member.subscription());
    this.search = new CoordinatorSearch(loop, config, member.group(), member.name());
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
      }
    } catch (RuntimeException e) {
      abandon(e);
    } finally {
      handling = false;
    }
  }

  private void carryOut(List<MemberEffect> effects) {
    snapshot = new Snapshot(Optional.ofNullable(state.member), state.owned, state.generation);
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
    seek(this::use, this::notFound);
  }

  /** Neither is told once the member wants something else: the search is simply outlived. */
  private void seek(Consumer<CoordinatorConnection> found, Consumer<Throwable> notFound) {
    int number = ++searches;
    search
        .find()
        .whenComplete(
            (connected, failure) -> {
              if (failure != null) {
                if (number == searches) {
                  notFound.accept(failure);
                }
              } else if (number == searches) {
                found.accept(connected);
              } else {
                connected.close("no longer wanted");
              }
            });
  }

  private void use(CoordinatorConnection found) {
    connection = found;
    if (seeking) {
      seeking = false;
      LOG.info("member {} has found its coordinator: {}", member.name(), found.address());
    }
    handle(new MemberEvent.Connected());
    found
        .closed()
        .thenAccept(
            reason -> {
              if (connection == found) {
                connection = null;
                LOG.debug("member {} has lost its coordinator: {}", member.name(), reason);
                handle(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, reason));
              }
            });
  }

  private void notFound(Throwable failure) {
    String reason = Causes.message(failure);
    if (!seeking) {
      seeking = true; // One line, however often it is tried.
      LOG.info("member {} seeks its coordinator: {}", member.name(), reason);
    }
    Errors error =
        Causes.of(failure) instanceof CoordinatorSearch.NotFoundException said
            ? said.error()
            : Errors.NETWORK_EXCEPTION;
    handle(new MemberEvent.Disconnected(error, reason));
  }

  @Override
  public void onDisconnect(MemberEffect.Disconnect effect) {
    searches++;
    CoordinatorConnection open = connection;
    connection = null;
    if (open != null) {
      open.close("closed by the member");
    }
  }

  // Requests.

  @Override
  public void onSendJoin(MemberEffect.SendJoin effect) {
    this.<JoinGroupResponseData>send(
        ApiKeys.JOIN_GROUP,
        messages.join(effect.member()),
        config.joinTimeout(),
        answer -> GroupMessages.joined(effect.attempt(), answer));
  }

  @Override
  public void onAskTopics(MemberEffect.AskTopics effect) {
    this.<MetadataResponseData>send(
        ApiKeys.METADATA,
        GroupMessages.topics(effect.topics()),
        config.requestTimeout(),
        answer -> GroupMessages.topicsKnown(effect.attempt(), answer));
  }

  @Override
  public void onSendSync(MemberEffect.SendSync effect) {
    long sent = ticker.nanos();
    long interval = config.heartbeatInterval().toNanos();
    this.<SyncGroupResponseData>send(
        ApiKeys.SYNC_GROUP,
        messages.sync(effect.generation(), effect.member(), effect.shares()),
        config.requestTimeout(),
        answer -> {
          boolean late = ticker.nanos() - sent > interval;
          return GroupMessages.synced(effect.attempt(), answer, sent, late);
        });
  }

  @Override
  public void onSendHeartbeat(MemberEffect.SendHeartbeat effect) {
    long sent = ticker.nanos();
    this.<HeartbeatResponseData>send(
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        answer ->
            new MemberEvent.Told(effect.generation(), Errors.forCode(answer.errorCode()), sent));
  }

  @Override
  public void onSendLeave(MemberEffect.SendLeave effect) {
    CoordinatorConnection open = connection;
    if (open != null && !effect.onNewConnection()) {
      leaveOn(open, effect.member());
      return;
    }
    onDisconnect(new MemberEffect.Disconnect());
    seek(
        found -> {
          connection = found;
          leaveOn(found, effect.member());
        },
        failure -> handle(new MemberEvent.LeaveDone()));
  }

  private void leaveOn(CoordinatorConnection open, MemberId id) {
    open.<LeaveGroupResponseData>send(
            ApiKeys.LEAVE_GROUP, messages.leave(id), config.requestTimeout())
        .whenComplete((answer, failure) -> handle(new MemberEvent.LeaveDone()));
  }

  /** Without an answer the connection is closed, which says Disconnected. */
  private <A extends ApiMessage> void send(
      ApiKeys api, ApiMessage request, Duration timeout, Function<A, MemberEvent> event) {
    CoordinatorConnection open = connection;
    if (open != null) {
      open.<A>send(api, request, timeout)
          .thenApply(event)
          .thenAccept(this::handle)
          .exceptionally(
              failure -> {
                open.close(Causes.message(failure));
                return null;
              });
    }
  }

  /** For requests outside the group's rounds; on the loop. Null while there is none. */
  @Nullable CoordinatorConnection connection() {
    return connection;
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
    listener.call(effect, failed -> post(new MemberEvent.ListenerReturned(failed)));
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
    onDisconnect(new MemberEffect.Disconnect());
    if (effect.failure() != null) {
      LOG.error("member {} of group {} ends: {}", member.name(), member.group(), effect.failure());
    }
    ended.complete(Optional.ofNullable(effect.failure()));
  }
}
