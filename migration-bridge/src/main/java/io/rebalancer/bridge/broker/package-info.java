/** What brokers are asked, through kafka-clients. */
@NullMarked
package io.rebalancer.bridge.broker;

import org.jspecify.annotations.NullMarked;
