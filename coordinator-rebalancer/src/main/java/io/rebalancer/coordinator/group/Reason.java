package io.rebalancer.coordinator.group;

/** Why a group moved from one phase to another. */
public enum Reason {
  MEMBER_JOIN,
  MEMBER_LEAVE,
  MEMBER_EXPIRED,
  SUBSCRIPTION_CHANGE,
  LEADER_REJOIN,
  TOPIC_CHANGE,
  SYNC_TIMEOUT,
  ALL_JOINED,
  REBALANCE_TIMEOUT,
  INITIAL_DELAY_OVER,
  NO_MEMBERS,
  ASSIGNMENT_STORED,
  STORE_FAILED,
  RESIGNED
}
