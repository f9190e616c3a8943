package io.rebalancer.bench;

/** Who subscribes to what. */
public enum Subscriptions {
  /** All members to all topics. */
  IDENTICAL,

  /** Each member to a random half of the topics; the seed is the same in every run. */
  MIXED
}
