/**
 * Paths and payload codecs of the historical layout (/brokers, /consumers). Pure, no ZooKeeper
 * client.
 */
@NullMarked
package io.rebalancer.core.znode;

import org.jspecify.annotations.NullMarked;
