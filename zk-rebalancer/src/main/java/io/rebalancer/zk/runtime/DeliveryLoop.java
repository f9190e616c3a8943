package io.rebalancer.zk.runtime;

import io.rebalancer.zk.protocol.ConsumerEvent;
import io.rebalancer.zk.protocol.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deals with what ZooKeeper delivers, one by one, on a thread of its own: sets the watch again with
 * two reads, then triggers. A thread beside the consumer's own, as zkclient's event thread was: a
 * watch is set again while a rebalance runs or a listener blocks, so that as many events are
 * delivered as in the original. A new session, and other topics for a wildcard, occupy it until the
 * rebalance for it is over (D17).
 *
 * <p>A strict consumer's looks from time to time whether there are changes that no watch has told
 * of.
 */
final class DeliveryLoop implements GroupRegistry.Deliveries {

  private static final Logger log = LoggerFactory.getLogger(DeliveryLoop.class);

  private final GroupRegistry registry;
  private final SubscribedTopics topics;
  private final WatchRules watches;
  private final Witness witness;
  private final Consumer<ConsumerEvent> consumer;
  private final Thread thread;

  /** Bounded by nature: a watch fires once until this loop has set it again. */
  private final LinkedBlockingQueue<Runnable> deliveries = new LinkedBlockingQueue<>();

  private final List<WatchTarget> targets = new ArrayList<>();
  private final WatchCheck check;
  private final Semaphore handled = new Semaphore(0);
  private volatile boolean stopped;

  DeliveryLoop(
      String name,
      GroupRegistry registry,
      SubscribedTopics topics,
      WatchRules watches,
      Witness witness,
      Consumer<ConsumerEvent> consumer) {
    this.registry = registry;
    this.topics = topics;
    this.watches = watches;
    this.witness = witness;
    this.check = new WatchCheck(watches.check());
    this.consumer = consumer;
    this.thread = new Thread(this::run, name + "-watches");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** From now on a new session counts as a change of {@code target} too. */
  void watch(WatchTarget target) {
    synchronized (targets) {
      if (!targets.contains(target)) {
        targets.add(target);
      }
    }
    check.seen(target, registry.watch(target));
  }

  /** Watches every topic that the consumer wants by now. */
  void watchTopics() {
    if (watches.topics()) {
      topics.watched().forEach(topic -> watch(watches.topic(topic)));
    }
  }

  private boolean isWatching(WatchTarget target) {
    synchronized (targets) {
      return targets.contains(target);
    }
  }

  /** From now on a change of the list of topics is dealt with, at once if there has been one. */
  void followTopics() {
    deliveries.add(
        () -> {
          if (!isWatching(WatchTarget.TOPICS)) {
            watch(WatchTarget.TOPICS);
            deliverTopics();
          }
        });
  }

  /** The rebalance that deliveries wait for is over. */
  void resume() {
    handled.release();
  }

  /** Ends the thread and waits for it, so that no request of its follows. */
  void stop() {
    stopped = true;
    thread.interrupt();
    if (Thread.currentThread() != thread && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void onFired(WatchTarget target) {
    check.fired(target);
    deliveries.add(() -> deliver(target));
  }

  /** As after a reconnect: what has changed meanwhile counts as if its watch had fired. */
  @Override
  public void onWatchesGone() {
    synchronized (targets) {
      targets.forEach(target -> deliveries.add(() -> lookAgain(target)));
    }
  }

  private void lookAgain(WatchTarget target) {
    check.delivering(target);
    GroupRegistry.Sighting now = registry.rearm(target);
    if (check.seen(target, now)) {
      changed(target, now);
    }
  }

  @Override
  public void onDisconnected(long lapsesAtNanos) {
    consumer.accept(new ConsumerEvent.Disconnected(lapsesAtNanos));
  }

  /** zkclient: the new session first, then every child listener, then every data listener. */
  @Override
  public void onSessionRenewed() {
    deliveries.add(() -> awaitHandled(new ConsumerEvent.SessionRenewed()));
    synchronized (targets) {
      if (targets.contains(WatchTarget.TOPICS)) {
        deliveries.add(() -> watch(WatchTarget.TOPICS));
      }
      targets.stream().filter(WatchTarget::children).forEach(this::onFired);
      targets.stream().filter(target -> !target.children()).forEach(this::onFired);
    }
  }

  private void deliver(WatchTarget target) {
    check.delivering(target);
    GroupRegistry.Sighting now = registry.rearm(target);
    check.seen(target, now);
    changed(target, now);
  }

  /**
   * The data of a deleted topic triggers nothing in the original ("should not happen at this time",
   * D21): its owner nodes stay.
   */
  private void changed(WatchTarget target, GroupRegistry.Sighting now) {
    if (target.trigger() == Trigger.TOPICS) {
      deliverTopics();
    } else if (now.exists() || target.children() || watches.deletions()) {
      consumer.accept(new ConsumerEvent.Triggered(target.trigger()));
    }
  }

  private void lookForLostWatches() {
    List<WatchTarget> watched;
    synchronized (targets) {
      watched = List.copyOf(targets);
    }
    for (WatchTarget target : watched) {
      GroupRegistry.Sighting now = registry.rearm(target);
      if (check.isLost(target, now)) {
        log.warn("{}: no watch told of a change of {}", thread.getName(), now.path());
        witness.watchRepaired(now.path());
        changed(target, now);
      }
    }
  }

  /** The registration is not written again: it names the pattern. */
  private void deliverTopics() {
    if (topics.haveChanged()) {
      watch(WatchTarget.MEMBERS);
      watchTopics();
      awaitHandled(new ConsumerEvent.TopicsChanged());
    }
  }

  private void awaitHandled(ConsumerEvent event) {
    consumer.accept(event);
    try {
      handled.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopped) {
      try {
        next().run();
      } catch (InterruptedException e) {
        return;
      } catch (Error e) { // zkclient's event thread goes on after any Throwable.
        log.error("{}: a watch could not be set again", thread.getName(), e);
      } catch (RuntimeException e) {
        if (!stopped) {
          log.warn("{}: a watch could not be set again: {}", thread.getName(), e.getMessage());
        }
      }
    }
  }

  private Runnable next() throws InterruptedException {
    if (!check.isWanted()) {
      return deliveries.take();
    }
    Runnable delivery = deliveries.poll(check.dueInNanos(), TimeUnit.NANOSECONDS);
    if (delivery != null) {
      return delivery;
    }
    check.begin();
    return this::lookForLostWatches;
  }
}
