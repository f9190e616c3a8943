package io.rebalancer.bridge.cli;

/** What a command's exit code says. */
final class ExitCode {

  static final int DONE = 0;

  /** The run is invalid or a check failed; the report says which. */
  static final int INVALID = 1;

  /** A flag, value, configuration or file that cannot be used. */
  static final int USAGE = 2;

  /** ZooKeeper or a coordinator is not reachable, a port is taken. */
  static final int ENVIRONMENT = 3;

  static final int INTERRUPTED = 130;

  private ExitCode() {}
}
