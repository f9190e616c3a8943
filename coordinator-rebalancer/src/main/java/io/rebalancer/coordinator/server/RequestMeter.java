package io.rebalancer.coordinator.server;

import org.apache.kafka.common.protocol.ApiKeys;

/** Port: times requests. Thread-safe; must be fast and not throw. */
@FunctionalInterface
public interface RequestMeter {

  /** Times nothing. */
  RequestMeter NONE = request -> () -> {};

  /** A request came in; what is returned is run once it is answered. */
  Runnable begin(ApiKeys request);
}
