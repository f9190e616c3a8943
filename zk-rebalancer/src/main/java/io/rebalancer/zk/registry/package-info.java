/**
 * The historical znodes through Curator: one ZooKeeper session per consumer, every request counted.
 */
@NullMarked
package io.rebalancer.zk.registry;

import org.jspecify.annotations.NullMarked;
