/** The original engine: every consumer watches, computes and claims for itself on ZooKeeper. */
@NullMarked
package io.rebalancer.zk;

import org.jspecify.annotations.NullMarked;
