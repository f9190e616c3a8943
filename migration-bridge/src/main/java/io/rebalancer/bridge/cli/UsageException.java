package io.rebalancer.bridge.cli;

/** A flag or value that cannot be used. The message is one line that names it. */
final class UsageException extends RuntimeException {

  UsageException(String message) {
    super(message);
  }
}
