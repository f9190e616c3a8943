package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupError;

/** The group requests, as far as they differ in what they are told when nobody can serve them. */
public enum RequestKind {
  JOIN,
  SYNC,
  HEARTBEAT,
  LEAVE,
  COMMIT,
  FETCH,
  DESCRIBE,
  LIST,
  DELETE,
  OFFSET_DELETE;

  /**
   * While groups are read, or too much waits. Members keep calm when their heartbeats succeed, and
   * clients throw COORDINATOR_LOAD_IN_PROGRESS at the application when a Sync is answered with it.
   */
  GroupError busy() {
    return switch (this) {
      case HEARTBEAT -> GroupError.NONE;
      case SYNC -> GroupError.REBALANCE_IN_PROGRESS;
      case JOIN, LEAVE, COMMIT, FETCH, DESCRIBE, LIST, DELETE, OFFSET_DELETE ->
          GroupError.COORDINATOR_LOAD_IN_PROGRESS;
    };
  }

  /** Offsets are served only from, and to, a store within reach. */
  boolean needsStore() {
    return this == COMMIT || this == FETCH || this == DELETE || this == OFFSET_DELETE;
  }

  /** Whether a group that nobody knows is an error, and not one to be made. */
  boolean needsGroup() {
    return this == DELETE || this == OFFSET_DELETE;
  }
}
