package io.rebalancer.it.architecture.planted.coordinator.client;

import io.rebalancer.it.architecture.planted.zk.other.Inner;
import org.apache.zookeeper.Watcher;

/** A member that watches ZooKeeper, and an engine that knows the other. */
class WatchesZooKeeper {
  Watcher watcher;
  Inner inner;
}
