package io.rebalancer.it.architecture.planted.bridge.report;

import io.netty.channel.Channel;
import io.rebalancer.it.architecture.planted.coordinator.runtime.Inner;

/** The bridge reaches into an engine, and uses Netty. */
class UsesInsides {
  Inner inner;
  Channel channel;
}
