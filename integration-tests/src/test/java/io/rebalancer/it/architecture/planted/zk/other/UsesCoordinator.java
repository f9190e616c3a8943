package io.rebalancer.it.architecture.planted.zk.other;

import io.rebalancer.it.architecture.planted.coordinator.runtime.Inner;
import org.apache.curator.framework.CuratorFramework;

/** One engine knows the other, and uses Curator outside its adapter. */
class UsesCoordinator {
  Inner inner;
  CuratorFramework client;
}
