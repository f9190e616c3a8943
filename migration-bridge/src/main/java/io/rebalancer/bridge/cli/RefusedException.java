package io.rebalancer.bridge.cli;

/** What is asked for cannot be done as things are. The message is one line that names the flag. */
final class RefusedException extends RuntimeException {

  RefusedException(String message) {
    super(message);
  }
}
