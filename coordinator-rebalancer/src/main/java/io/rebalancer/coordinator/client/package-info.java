/** The member client of the group coordinator: speaks Kafka's group protocol, never ZooKeeper. */
@NullMarked
package io.rebalancer.coordinator.client;

import org.jspecify.annotations.NullMarked;
