package io.rebalancer.bridge.runtime;

/**
 * Something outside this process is missing or in the way: a server that does not answer, a port in
 * use, a file system that refuses. The message is one line that names it.
 */
public final class EnvironmentException extends RuntimeException {

  public EnvironmentException(String message) {
    super(message);
  }

  public EnvironmentException(String message, Throwable cause) {
    super(message, cause);
  }
}
