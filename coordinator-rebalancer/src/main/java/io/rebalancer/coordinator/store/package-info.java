/** Group state, slots and topics in ZooKeeper, through Curator. */
@NullMarked
package io.rebalancer.coordinator.store;

import org.jspecify.annotations.NullMarked;
