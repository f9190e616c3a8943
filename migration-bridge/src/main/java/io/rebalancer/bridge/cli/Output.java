package io.rebalancer.bridge.cli;

/**
 * How a command writes its result to standard output; {@code json} is then the only thing on it.
 */
enum Output {
  table,
  json
}
