package io.rebalancer.coordinator.client;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.testkit.VirtualTime;
import io.rebalancer.core.time.Scheduler.Cancellable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The member's own state and messages in virtual time. Its wire keeps the order of messages, delays
 * them at random, holds everything back while the network is stalled, and can be cut.
 */
final class SimulatedMember implements MemberEffect.Visitor {

  private static final Duration RECONNECT = Duration.ofMillis(20);

  /** One connection: requests are read one at a time, as a coordinator may do. */
  private final class Wire {
    private final Deque<Runnable> unread = new ArrayDeque<>();
    private long lastUpNanos;
    private long lastDownNanos;
    private boolean busy;
    private boolean cut;

    void request(ApiKeys api, ApiMessage message, Duration timeout, Consumer<ApiMessage> answered) {
      boolean[] done = {false};
      lastUpNanos = arrival(lastUpNanos);
      at(lastUpNanos, () -> read(() -> serve(api, message, done, answered)));
      time.schedule(
          timeout,
          () -> {
            if (!done[0] && wire == this) { // What waits beside it is asked again.
              lose("not answered");
            }
          });
    }

    private void read(Runnable request) {
      if (busy) {
        unread.add(request);
      } else if (!cut) {
        busy = true;
        request.run();
      }
    }

    private void serve(
        ApiKeys api, ApiMessage message, boolean[] done, Consumer<ApiMessage> answered) {
      coordinator.handle(
          name,
          api,
          message,
          answer -> {
            lastDownNanos = arrival(lastDownNanos);
            at(
                lastDownNanos,
                () -> {
                  done[0] = true;
                  if (wire == this || beside == this) {
                    answered.accept(answer);
                  }
                });
            busy = false;
            Runnable next = unread.poll();
            if (next != null) {
              read(next);
            }
          });
    }

    private long arrival(long previous) {
      long free = Math.max(time.nanos(), stalledUntilNanos);
      return Math.max(previous, free + Duration.ofMillis(1 + random.nextInt(20)).toNanos());
    }

    private void at(long nanos, Runnable task) {
      time.schedule(Duration.ofNanos(Math.max(0, nanos - time.nanos())), task);
    }
  }

  private final String name;
  private final TopicSelection topics;
  private final VirtualTime time;
  private final Random random;
  private final SimulatedCoordinator coordinator;
  private final CoordinatorClientConfig config;
  private final Consumer<LedgerEntry> ledger;
  private final GroupMessages messages;
  private final Map<MemberTimer, Cancellable> timers = new EnumMap<>(MemberTimer.class);
  private final Deque<MemberEffect.CallListener> calls = new ArrayDeque<>();
  final MemberState state;
  private @Nullable Wire wire;

  /** While a Join or Sync waits on the other. */
  private @Nullable Wire beside;

  private long stalledUntilNanos;
  private int searches;
  private String trigger = "";

  SimulatedMember(
      String name,
      TopicSelection topics,
      CoordinatorClientConfig config,
      VirtualTime time,
      Random random,
      SimulatedCoordinator coordinator,
      Consumer<LedgerEntry> ledger) {
    this.name = name;
    this.topics = topics;
    this.time = time;
    this.random = random;
    this.coordinator = coordinator;
    this.config = config;
    this.ledger = ledger;
    Strategy strategy = Strategies.named(config.assignmentStrategy());
    this.messages = new GroupMessages(SimulatedCoordinator.GROUP, name, config, strategy);
    this.state = new MemberState(MemberRules.of(config, strategy, topics));
  }

  TopicSelection topics() {
    return topics;
  }

  /** How long its group still waits for somebody. */
  Duration delay() {
    return messages.remainingDelay(time.nanos());
  }

  void on(MemberEvent event) {
    state.on(event).forEach(effect -> effect.accept(this));
    if (!state.phase.inRound()) {
      closeBeside();
    }
  }

  /** Nothing gets through for so long; then everything does, late. */
  void stall(Duration duration) {
    stalledUntilNanos = Math.max(stalledUntilNanos, time.nanos() + duration.toNanos());
  }

  void cut() {
    if (wire != null) {
      lose("cut");
    }
  }

  private void lose(String reason) {
    onDisconnect(new MemberEffect.Disconnect());
    on(new MemberEvent.Disconnected(Errors.NETWORK_EXCEPTION, reason));
  }

  @Override
  public void onSeek(MemberEffect.Seek effect) {
    int number = ++searches;
    long free = Math.max(time.nanos(), stalledUntilNanos) - time.nanos();
    time.schedule(
        Duration.ofNanos(free).plus(RECONNECT),
        () -> {
          if (number == searches) {
            wire = new Wire();
            on(new MemberEvent.Connected());
          }
        });
  }

  @Override
  public void onDisconnect(MemberEffect.Disconnect effect) {
    searches++;
    closeBeside();
    if (wire != null) {
      wire.cut = true;
      wire = null;
    }
  }

  private void closeBeside() {
    if (beside != null) {
      beside.cut = true;
      beside = null;
    }
  }

  private <A extends ApiMessage> void send(
      ApiKeys api, ApiMessage request, Duration timeout, Function<A, MemberEvent> event) {
    sendOn(wire, api, request, timeout, event);
  }

  private <A extends ApiMessage> void sendOn(
      @Nullable Wire open,
      ApiKeys api,
      ApiMessage request,
      Duration timeout,
      Function<A, MemberEvent> event) {
    if (open != null) {
      open.request(
          api,
          request,
          timeout,
          answer -> {
            @SuppressWarnings("unchecked") // The coordinator answers with the request's response.
            A typed = (A) answer;
            on(event.apply(typed));
          });
    }
  }

  @Override
  public void onListTopics(MemberEffect.ListTopics effect) {
    this.<MetadataResponseData>send(
        ApiKeys.METADATA,
        TopicMessages.allTopics(),
        config.requestTimeout(),
        answer ->
            TopicMessages.topicsListed(effect.attempt(), answer, config.excludeInternalTopics()));
  }

  @Override
  public void onSendJoin(MemberEffect.SendJoin effect) {
    long sent = time.nanos();
    this.<JoinGroupResponseData>send(
        ApiKeys.JOIN_GROUP,
        messages.join(effect, trigger, sent),
        config.joinTimeout(),
        answer -> messages.joined(effect.attempt(), answer, sent, time.nanos()));
  }

  @Override
  public void onAskTopics(MemberEffect.AskTopics effect) {
    this.<MetadataResponseData>send(
        ApiKeys.METADATA,
        TopicMessages.topics(effect.topics()),
        config.requestTimeout(),
        answer -> TopicMessages.topicsKnown(effect.attempt(), answer));
  }

  @Override
  public void onSendSync(MemberEffect.SendSync effect) {
    long sent = time.nanos();
    this.<SyncGroupResponseData>send(
        ApiKeys.SYNC_GROUP,
        messages.sync(effect.generation(), effect.member(), effect.shares()),
        config.requestTimeout(),
        answer -> messages.synced(effect, answer, sent, time.nanos()));
  }

  @Override
  public void onSendHeartbeat(MemberEffect.SendHeartbeat effect) {
    long sent = time.nanos();
    this.<HeartbeatResponseData>send(
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        answer -> messages.told(effect.generation(), answer, sent, time.nanos()));
  }

  @Override
  public void onSendHeartbeatBeside(MemberEffect.SendHeartbeatBeside effect) {
    long sent = time.nanos();
    if (beside == null) {
      beside = new Wire();
    }
    this.<HeartbeatResponseData>sendOn(
        beside,
        ApiKeys.HEARTBEAT,
        messages.heartbeat(effect.generation(), effect.member()),
        config.requestTimeout(),
        answer -> messages.told(effect.generation(), answer, sent, time.nanos()));
  }

  @Override
  public void onSendLeave(MemberEffect.SendLeave effect) {
    MemberId leaver = effect.member();
    if (effect.onNewConnection()) {
      onDisconnect(new MemberEffect.Disconnect());
      wire = new Wire();
    }
    send(
        ApiKeys.LEAVE_GROUP,
        messages.leave(leaver, effect.reason()),
        config.requestTimeout(),
        answer -> new MemberEvent.LeaveDone());
  }

  @Override
  public void onArmTimer(MemberEffect.ArmTimer effect) {
    arm(effect.timer(), effect.delay());
  }

  @Override
  public void onRenewLease(MemberEffect.RenewLease effect) {
    long end = effect.fromNanos() + config.lease().toNanos();
    arm(MemberTimer.LEASE, Duration.ofNanos(Math.max(0, end - time.nanos())));
  }

  private void arm(MemberTimer timer, Duration delay) {
    onCancelTimer(new MemberEffect.CancelTimer(timer));
    timers.put(timer, time.schedule(delay, () -> on(new MemberEvent.TimerFired(timer))));
  }

  @Override
  public void onCancelTimer(MemberEffect.CancelTimer effect) {
    Cancellable armed = timers.remove(effect.timer());
    if (armed != null) {
      armed.cancel();
    }
  }

  @Override
  public void onCallListener(MemberEffect.CallListener effect) {
    calls.add(effect);
    if (calls.size() == 1) {
      callNext();
    }
  }

  /** A listener takes its time, and now and then throws. */
  private void callNext() {
    time.schedule(
        Duration.ofMillis(random.nextInt(50)),
        () -> {
          on(new MemberEvent.ListenerReturned(random.nextInt(50) == 0));
          calls.remove(); // What it caused has queued up behind it.
          if (!calls.isEmpty()) {
            callNext();
          }
        });
  }

  @Override
  public void onWriteLedger(MemberEffect.WriteLedger effect) {
    ledger.accept(
        new LedgerEntry(
            time.nanos(),
            effect.kind(),
            SimulatedCoordinator.GROUP,
            name,
            effect.partitions(),
            FencingToken.ofGeneration(effect.generation())));
  }

  @Override
  public void onBeginAttempt(MemberEffect.BeginAttempt effect) {
    trigger = effect.trigger();
  }

  @Override
  public void onEndAttempt(MemberEffect.EndAttempt effect) {}

  @Override
  public void onEnd(MemberEffect.End effect) {
    onDisconnect(new MemberEffect.Disconnect());
    timers.values().forEach(Cancellable::cancel);
    timers.clear();
  }
}
