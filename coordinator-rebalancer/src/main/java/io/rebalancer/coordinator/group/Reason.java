package io.rebalancer.coordinator.group;

/** Why a group moved from one phase to another. */
public enum Reason {
  MEMBER_JOIN,
  MEMBER_LEAVE,
  MEMBER_EXPIRED,
  /** A member wants other topics. */
  SUBSCRIPTION_CHANGE,
  /** The group leader came back unasked: so it announces that topics changed. */
  LEADER_REJOIN,
  /** A member came back unasked with news for the group leader, such as what it gave up. */
  MEMBER_REJOIN,
  /** A static member's new process joined while the group could not stay as it was. */
  MEMBER_RESTART,
  TOPIC_CHANGE,
  SYNC_TIMEOUT,
  /** A member did not let go of partitions in time. */
  REVOCATION_TIMEOUT,
  /** Who vanished has had its time to come back. */
  DELAY_OVER,
  ALL_JOINED,
  REBALANCE_TIMEOUT,
  INITIAL_DELAY_OVER,
  NO_MEMBERS,
  /** It was read back, and has more members than there may be now. */
  OVER_FULL,
  ASSIGNED,
  /** The coordinator's assignor failed; what members have stays as it is until it does not. */
  ASSIGNOR_FAILED,
  /** Everybody has what it is to have. */
  RECONCILED,
  ASSIGNMENT_STORED,
  STORE_FAILED,
  /** An administrator wants it gone. */
  DELETED,
  /** Its last position was kept long enough. */
  OFFSETS_EXPIRED,
  RESIGNED
}
