package io.rebalancer.bench;

/** What the group is assigned for. */
public enum Change {
  /** Nobody owns anything yet. */
  FRESH,

  /** The middle member of a settled group has left. */
  LEAVE
}
