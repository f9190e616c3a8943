package io.rebalancer.zk.protocol;

import static java.util.Objects.requireNonNull;

/**
 * The original consumer as a function (kafka 0.8-1.1, {@code ZookeeperConsumerConnector}, with the
 * zkclient behaviour it relied on). Its defects are kept on purpose: it releases everything in
 * every attempt, gives up after its tries and then waits for an event that may never come, and
 * never compares the session of an owner node with its own. A strict one heals what it can.
 */
public record ConsumerMachine(ConsumerSettings settings) {

  public ConsumerMachine {
    requireNonNull(settings, "settings");
  }

  /** Events that do not fit the phase, such as a late end of a back-off, change nothing. */
  public Step step(ConsumerState state, ConsumerEvent event) {
    return event.accept(new Transition(settings, state));
  }
}
