package io.rebalancer.coordinator.client;

import java.util.concurrent.CompletionException;

/** What really went wrong in a chain of futures. */
final class Causes {

  private Causes() {}

  static Throwable of(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  static String message(Throwable failure) {
    Throwable cause = of(failure);
    String message = cause.getMessage();
    return message != null ? message : cause.toString();
  }
}
