/** How a client shows who it is to ZooKeeper, and who may touch what it creates. */
@NullMarked
package io.rebalancer.zk.security;

import org.jspecify.annotations.NullMarked;
