package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupError;
import java.util.concurrent.CompletionException;

/** What clients are told when the store failed. */
final class StoreErrors {

  private StoreErrors() {}

  static GroupError ofCommit(Throwable failure) {
    return switch (reason(failure)) {
      case FENCED -> GroupError.NOT_COORDINATOR;
      case UNAVAILABLE -> GroupError.COORDINATOR_LOAD_IN_PROGRESS;
      case TOO_LARGE, CORRUPT -> GroupError.UNKNOWN_SERVER_ERROR;
    };
  }

  /** Never COORDINATOR_LOAD_IN_PROGRESS, which clients throw at the application. */
  static GroupError ofSync(Throwable failure) {
    return switch (reason(failure)) {
      case FENCED -> GroupError.NOT_COORDINATOR;
      case UNAVAILABLE -> GroupError.REBALANCE_IN_PROGRESS;
      case TOO_LARGE, CORRUPT -> GroupError.UNKNOWN_SERVER_ERROR;
    };
  }

  static boolean isTooLarge(Throwable failure) {
    return reason(failure) == StoreException.Reason.TOO_LARGE;
  }

  private static StoreException.Reason reason(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof StoreException known
        ? known.reason()
        : StoreException.Reason.UNAVAILABLE;
  }
}
