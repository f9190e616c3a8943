/** The Netty server: framing, order of answers, and who answers which request. */
@NullMarked
package io.rebalancer.coordinator.server;

import org.jspecify.annotations.NullMarked;
