package io.rebalancer.coordinator.client;

import org.apache.kafka.common.protocol.Errors;

/** What an error code means to a member (kafka-clients 4.4, AbstractCoordinator). */
enum Reaction {
  /** No error. */
  GO_ON,
  /** 79: join again with the id that came along. */
  TAKE_ID,
  /** 27: a rebalance is under way; revoke, join again. */
  REJOIN,
  /** 22: the generation is over; lost, join again with the same id. */
  RESET,
  /** 25: the member was removed; lost, join again without an id. */
  FORGET,
  /** 14, 15, 16: ask for the coordinator again. */
  SEEK,
  /** Nothing will get better by trying again: the member ends. */
  END,
  /** Anything else: try again after a pause. */
  RETRY;

  static Reaction to(Errors error) {
    return switch (error) {
      case NONE -> GO_ON;
      case MEMBER_ID_REQUIRED -> TAKE_ID;
      case REBALANCE_IN_PROGRESS -> REJOIN;
      case ILLEGAL_GENERATION -> RESET;
      case UNKNOWN_MEMBER_ID -> FORGET;
      case COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> SEEK;
      case INCONSISTENT_GROUP_PROTOCOL,
          INVALID_GROUP_ID,
          INVALID_SESSION_TIMEOUT,
          GROUP_AUTHORIZATION_FAILED,
          UNSUPPORTED_VERSION,
          GROUP_MAX_SIZE_REACHED,
          FENCED_INSTANCE_ID ->
          END;
      default -> RETRY;
    };
  }
}
