package io.rebalancer.zk.runtime;

import io.rebalancer.zk.protocol.ConsumerEffect;
import io.rebalancer.zk.protocol.ConsumerEvent;
import io.rebalancer.zk.protocol.ConsumerMachine;
import io.rebalancer.zk.protocol.ConsumerState;
import io.rebalancer.zk.protocol.Phase;
import io.rebalancer.zk.protocol.Step;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer's thread: feeds its machine and carries out the effects in order. Events from
 * outside are taken in between two effects, before the answer of the first, so that an attempt
 * knows what came while it ran.
 */
final class ConsumerEventLoop {

  private static final Logger log = LoggerFactory.getLogger(ConsumerEventLoop.class);

  private final ConsumerMachine machine;
  private final ConsumerEffect.Visitor<Optional<ConsumerEvent>> effects;
  private final BooleanSupplier lapse;
  private final Runnable abort;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Bounded by nature: one trigger per delivered watch event, one renewal, one close. */
  private final LinkedBlockingQueue<ConsumerEvent> inbox = new LinkedBlockingQueue<>();

  private final ArrayDeque<ConsumerEffect> due = new ArrayDeque<>();
  private ConsumerState state = ConsumerState.initial();
  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>((a, b) -> Long.signum(a.atNanos() - b.atNanos()));
  private volatile boolean killed;

  /**
   * Makes a loop that does not run yet.
   *
   * @param lapse true once, when the session may have ended
   * @param abort lets go of everything when the loop ends in a way that it should not
   */
  ConsumerEventLoop(
      String name,
      ConsumerMachine machine,
      ConsumerEffect.Visitor<Optional<ConsumerEvent>> effects,
      BooleanSupplier lapse,
      Runnable abort) {
    this.machine = machine;
    this.effects = effects;
    this.lapse = lapse;
    this.abort = abort;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  void start() {
    post(new ConsumerEvent.Started());
    thread.start();
  }

  /** It will never be started: nobody has to wait for it. */
  void abandon() {
    ended.countDown();
  }

  /** From any thread. */
  void post(ConsumerEvent event) {
    inbox.add(event);
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  /** Waits for the thread to end; false when it did not in time. */
  boolean awaitEnd(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Stops between two effects, and interrupts the one that runs. */
  void kill() {
    killed = true;
    thread.interrupt();
  }

  /** Called by the effects on the loop's thread. */
  void wakeAfter(Duration duration, ConsumerEvent event) {
    wakeAt(System.nanoTime() + duration.toNanos(), () -> Optional.of(event));
  }

  /** Whether it has lapsed is asked when the time has come, while it waits for nothing else. */
  void wakeAtLapse(long nanos) {
    wakeAt(
        nanos,
        () ->
            lapse.getAsBoolean()
                ? Optional.of(new ConsumerEvent.SessionLapsed())
                : Optional.empty());
  }

  private void wakeAt(long nanos, Supplier<Optional<ConsumerEvent>> event) {
    alarms.add(new Alarm(nanos, event));
  }

  Thread thread() {
    return thread;
  }

  private record Alarm(long atNanos, Supplier<Optional<ConsumerEvent>> event) {
    long leftNanos() {
      return atNanos - System.nanoTime();
    }
  }

  private void run() {
    try {
      while (!killed && state.phase() != Phase.GONE) {
        ConsumerEffect effect = due.poll();
        if (effect == null) {
          nextEvent().ifPresent(this::apply);
        } else {
          carryOut(effect);
        }
      }
    } catch (InterruptedException e) {
      if (!killed) {
        log.warn("{}: interrupted from outside; the consumer ends", thread.getName());
        abort.run();
      }
    } catch (RuntimeException | Error e) {
      log.error("{}: the consumer ends", thread.getName(), e);
      abort.run();
    } finally {
      ended.countDown();
    }
  }

  private void carryOut(ConsumerEffect effect) {
    Optional<ConsumerEvent> answer;
    try {
      answer = effect.accept(effects);
    } catch (RuntimeException e) {
      log.debug("{}: {} failed", thread.getName(), effect, e);
      answer = Optional.of(failureOf(effect, e));
    } catch (Error e) { // An attempt of the original fails of any Throwable too, and no more.
      log.error("{}: {} failed", thread.getName(), effect, e);
      answer = Optional.of(failureOf(effect, new IllegalStateException(e.toString(), e)));
    }
    for (ConsumerEvent event = inbox.poll(); event != null; event = inbox.poll()) {
      apply(event);
    }
    answer.ifPresent(this::apply);
  }

  private ConsumerEvent failureOf(ConsumerEffect effect, RuntimeException failure) {
    if (failure instanceof SessionLapsedException) {
      boolean lasts = lapse.getAsBoolean(); // Taken, whether or not there is a connection by now.
      log.debug("{}: still no connection: {}", thread.getName(), lasts);
      return new ConsumerEvent.SessionLapsed();
    }
    String reason = String.valueOf(failure.getMessage());
    return effect instanceof ConsumerEffect.Register
        ? new ConsumerEvent.RegistrationFailed(reason)
        : new ConsumerEvent.StepFailed(reason);
  }

  private void apply(ConsumerEvent event) {
    Step step = machine.step(state, event);
    state = step.state();
    due.addAll(step.effects());
  }

  private Optional<ConsumerEvent> nextEvent() throws InterruptedException {
    Alarm next = alarms.peek();
    if (next == null) {
      return Optional.of(inbox.take());
    }
    ConsumerEvent event = inbox.poll(Math.max(0, next.leftNanos()), TimeUnit.NANOSECONDS);
    if (event != null) {
      return Optional.of(event);
    }
    alarms.remove(next);
    return next.event().get();
  }
}
