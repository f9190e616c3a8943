package io.rebalancer.zk.runtime;

import io.rebalancer.zk.protocol.ConsumerEvent;
import io.rebalancer.zk.protocol.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deals with what ZooKeeper delivers, one by one, on a thread of its own: sets the watch again with
 * two reads, then triggers. A thread beside the consumer's own, as zkclient's event thread was: a
 * watch is set again while a rebalance runs or a listener blocks, so that as many events are
 * delivered as in the original. A new session, and other topics for a wildcard, occupy it until the
 * rebalance for it is over (D17).
 */
final class DeliveryLoop implements GroupRegistry.Deliveries {

  private static final Logger log = LoggerFactory.getLogger(DeliveryLoop.class);

  private final GroupRegistry registry;
  private final SubscribedTopics topics;
  private final WatchRules watches;
  private final Consumer<ConsumerEvent> consumer;
  private final Thread thread;

  /** Bounded by nature: a watch fires once until this loop has set it again. */
  private final LinkedBlockingQueue<Runnable> deliveries = new LinkedBlockingQueue<>();

  private final List<WatchTarget> targets = new ArrayList<>();
  private final Semaphore handled = new Semaphore(0);
  private volatile boolean stopped;

  DeliveryLoop(
      String name,
      GroupRegistry registry,
      SubscribedTopics topics,
      WatchRules watches,
      Consumer<ConsumerEvent> consumer) {
    this.registry = registry;
    this.topics = topics;
    this.watches = watches;
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
    registry.watch(target);
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
    deliveries.add(() -> deliver(target));
  }

  /** zkclient: the new session first, then every child listener, then every data listener. */
  @Override
  public void onSessionRenewed() {
    deliveries.add(() -> awaitHandled(new ConsumerEvent.SessionRenewed()));
    synchronized (targets) {
      if (targets.contains(WatchTarget.TOPICS)) {
        deliveries.add(() -> registry.watch(WatchTarget.TOPICS));
      }
      targets.stream().filter(WatchTarget::children).forEach(this::onFired);
      targets.stream().filter(target -> !target.children()).forEach(this::onFired);
    }
  }

  /** The data of a deleted topic triggers nothing: "should not happen at this time" (D21). */
  private void deliver(WatchTarget target) {
    boolean exists = registry.rearm(target);
    if (target.trigger() == Trigger.TOPICS) {
      deliverTopics();
    } else if (exists || target.children()) {
      consumer.accept(new ConsumerEvent.Triggered(target.trigger()));
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
        deliveries.take().run();
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        if (!stopped) {
          log.warn("{}: a watch could not be set again: {}", thread.getName(), e.getMessage());
        }
      }
    }
  }
}
