package io.rebalancer.coordinator.wire;

/** Bytes that are no message of the protocol; the connection they came from cannot go on. */
public final class BadRequestException extends Exception {

  public BadRequestException(String message) {
    super(message);
  }

  public BadRequestException(String message, Throwable cause) {
    super(message, cause);
  }
}
