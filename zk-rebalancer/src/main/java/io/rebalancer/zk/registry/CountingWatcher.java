package io.rebalancer.zk.registry;

import io.rebalancer.zk.runtime.Witness;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;

/**
 * The one watcher of a consumer's session, set on every path: ZooKeeper calls a watcher once per
 * event even where it is set both on a node's data and on its children, as its server counts
 * sessions and not watchers.
 */
final class CountingWatcher implements Watcher {

  private final Witness witness;
  private final Consumer<WatchedEvent> next;

  CountingWatcher(Witness witness, Consumer<WatchedEvent> next) {
    this.witness = witness;
    this.next = next;
  }

  /** Connection events (type None) reach every watcher and are no notifications. */
  @Override
  public void process(WatchedEvent event) {
    if (event.getType() != Event.EventType.None) {
      witness.watchDelivered(event.getType().name(), event.getPath());
      next.accept(event);
    }
  }
}
