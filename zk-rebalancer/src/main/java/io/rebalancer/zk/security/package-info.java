/**
 * How a consumer shows who it is to ZooKeeper, and who may touch its znodes: settings as values.
 */
@NullMarked
package io.rebalancer.zk.security;

import org.jspecify.annotations.NullMarked;
