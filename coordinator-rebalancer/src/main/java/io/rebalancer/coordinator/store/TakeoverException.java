package io.rebalancer.coordinator.store;

/** The slots cannot be taken, since another coordinator lives. */
final class TakeoverException extends Exception {

  TakeoverException(String message) {
    super(message);
  }
}
