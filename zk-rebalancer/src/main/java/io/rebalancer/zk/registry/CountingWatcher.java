package io.rebalancer.zk.registry;

import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.time.Ticker;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * The one watcher of a consumer's session, set on every path: ZooKeeper calls a watcher once per
 * event even where it is set both on a node's data and on its children, as its server counts
 * sessions and not watchers.
 */
final class CountingWatcher implements Watcher {

  private final String member;
  private final RebalanceObserver observer;
  private final Ticker ticker;
  private final Consumer<WatchedEvent> next;

  CountingWatcher(
      String member, RebalanceObserver observer, Ticker ticker, Consumer<WatchedEvent> next) {
    this.member = member;
    this.observer = observer;
    this.ticker = ticker;
    this.next = next;
  }

  /** Connection events (type None) reach every watcher and are no notifications. */
  @Override
  public void process(WatchedEvent event) {
    if (event.getType() != Event.EventType.None) {
      observer.on(
          new Observation.WatchDelivered(
              ticker.nanos(), member, event.getType().name(), event.getPath()));
      next.accept(event);
    }
  }
}
