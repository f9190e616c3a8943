/** Kafka's messages to group events and back, coded by kafka-clients' own generated classes. */
@NullMarked
package io.rebalancer.coordinator.wire;

import org.jspecify.annotations.NullMarked;
