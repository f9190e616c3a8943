package io.rebalancer.coordinator.simulation;

/** An invariant does not hold. An error, so that the shard does not take it for its own failure. */
final class Violation extends AssertionError {

  private static final long serialVersionUID = 1;

  Violation(Invariant broken, String what) {
    super(broken + ": " + what);
    this.broken = broken;
  }

  final Invariant broken;
}
