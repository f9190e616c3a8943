/**
 * The bridge's own use of ZooKeeper: an embedded server, its counters, the stage that runs play on.
 */
@NullMarked
package io.rebalancer.bridge.zookeeper;

import org.jspecify.annotations.NullMarked;
