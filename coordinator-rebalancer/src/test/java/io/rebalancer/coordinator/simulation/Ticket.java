package io.rebalancer.coordinator.simulation;

/** A request that a shard was given. */
final class Ticket {

  final Ask ask;
  final Node node;
  final long at;

  /** Of the group when it came. */
  final int generation;

  /** Whether it came over a connection its client has given up, or for the second time. */
  final boolean stray;

  boolean answered;

  /** Whether it was not answered at once. */
  boolean waited;

  Ticket(Ask ask, Node node, long at, int generation, boolean stray) {
    this.ask = ask;
    this.node = node;
    this.at = at;
    this.generation = generation;
    this.stray = stray;
  }
}
