package io.rebalancer.coordinator.client;

import io.netty.channel.EventLoop;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds a {@link MemberState} its events, one after another, and has {@link MemberEffects} carry
 * out what it decides. All on one event loop, which many members share; only the listener runs
 * elsewhere.
 */
final class MemberLoop {

  private static final Logger LOG = LoggerFactory.getLogger(MemberLoop.class);

  /** What other threads may see. */
  record Snapshot(Optional<MemberId> id, Assignment owned, int generation, boolean away) {}

  private final CoordinatorClientConfig config;
  private final MemberConfig member;
  private final EventLoop loop;
  private final Ticker ticker;
  private final MemberState state;
  private final GroupMessages messages;
  private final CoordinatorSearch search;
  private final CoordinatorLink link;
  private final MemberTimers timers;
  private final MemberRequests requests;
  private final MemberEffects effects;
  private final RebalanceObserver observer;
  private final ContactLog contact;
  private final Deque<MemberEvent> events = new ArrayDeque<>();
  private final Deque<Runnable> afterRound = new ArrayDeque<>();
  private final CompletableFuture<Optional<String>> ended = new CompletableFuture<>();
  private volatile Snapshot snapshot =
      new Snapshot(Optional.empty(), Assignment.empty(), MemberState.NO_GENERATION, false);
  private Optional<MemberId> observed = Optional.empty();
  private boolean handling;

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
    this.ticker = ticker;
    this.delayUntilNanos = ticker.nanos();
    Strategy strategy = Strategies.named(config.assignmentStrategy());
    this.state = new MemberState(MemberRules.of(config, strategy, member.topics()));
    this.messages = new GroupMessages(member, config, strategy);
    this.search = new CoordinatorSearch(loop, config, member.group(), member.name());
    this.observer = observer;
    this.contact = new ContactLog(member);
    this.link = new CoordinatorLink(member.name(), search, contact, this::handle);
    this.timers = new MemberTimers(loop, this::fired);
    this.requests = new MemberRequests(config, member, link, contact, messages, meter, ticker);
    this.effects = new MemberEffects(this, config, requests, link, timers, listener, observer);
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
  void handle(MemberEvent event) {
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

  private void carryOut(List<MemberEffect> wanted) {
    snapshot =
        new Snapshot(
            Optional.ofNullable(state.member),
            state.owned(),
            state.generation,
            state.phase == MemberPhase.AWAY);
    long now = ticker.nanos();
    delayUntilNanos = now + messages.remainingDelay(now).toNanos();
    observeJoined();
    wanted.forEach(effect -> effect.accept(effects));
  }

  /** Not while its Join has been answered with no more than an id to join with. */
  private void observeJoined() {
    Optional<MemberId> id = snapshot.id();
    if (snapshot.generation() != MemberState.NO_GENERATION && !id.equals(observed)) {
      observed = id;
      id.ifPresent(
          known ->
              observer.on(
                  new Observation.MemberJoined(ticker.nanos(), member.name(), known.value())));
    }
  }

  /** A broken invariant, or an observer that threw, ends this member and no other. */
  private void abandon(RuntimeException broken) {
    LOG.error("member {} of group {} ends", member.name(), member.group(), broken);
    ended.complete(Optional.of(broken.toString()));
    events.clear();
    carryOut(state.on(new MemberEvent.CrashRequested()));
  }

  /** For requests outside the group's rounds; on the loop. Null while there is none. */
  @Nullable CoordinatorConnection connection() {
    return link.connection();
  }

  /** As {@link MemberRequests#answered}. */
  long answered(ApiKeys request, long sentAtNanos) {
    return requests.answered(request, sentAtNanos);
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
            if (!timers.isArmed(MemberTimer.POLL)) {
              armPoll();
            }
            handle(new MemberEvent.Polled());
          });
    }
  }

  private void fired(MemberTimer timer) {
    if (timer == MemberTimer.POLL) {
      pollDue();
    } else {
      if (timer == MemberTimer.LEASE) {
        contact.without(silence());
      }
      handle(new MemberEvent.TimerFired(timer));
    }
  }

  private String silence() {
    CoordinatorConnection open = link.connection();
    String who = open == null ? "not connected" : Addresses.text(open.address());
    return who + ": nothing heard for " + config.lease().toMillis() + " ms";
  }

  private void armPoll() {
    long left = polledAtNanos + config.rebalanceTimeout().toNanos() - ticker.nanos();
    timers.arm(MemberTimer.POLL, left);
  }

  private void pollDue() {
    if (ended.isDone()) {
      return;
    }
    if (ticker.nanos() - polledAtNanos < config.rebalanceTimeout().toNanos()) {
      armPoll();
    } else {
      handle(new MemberEvent.TimerFired(MemberTimer.POLL));
    }
  }
}
