package io.rebalancer.bridge.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** What of our own log reaches standard error. */
final class Logs {

  private Logs() {}

  static void show(Level atLeast) {
    ((Logger) LoggerFactory.getLogger("io.rebalancer")).setLevel(atLeast);
  }
}
