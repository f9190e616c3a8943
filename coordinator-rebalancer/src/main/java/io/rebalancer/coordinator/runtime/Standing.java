package io.rebalancer.coordinator.runtime;

/** What this coordinator may do at a moment, as far as its ZooKeeper session tells. */
public enum Standing {
  /** Slots held and loaded, session alive. */
  SERVING,
  /** ZooKeeper is out of reach, but the lease lasts: nobody else can be coordinator yet. */
  SUSPENDED,
  /** ZooKeeper is out of reach and the lease is over: nothing may be answered as coordinator. */
  LAPSED,
  /** Slots held, groups not read yet. */
  LOADING,
  /** Slots lost. */
  RESIGNED
}
