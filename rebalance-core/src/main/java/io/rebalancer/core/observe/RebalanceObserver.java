package io.rebalancer.core.observe;

/**
 * Receives everything an engine does. Called on the thread that did it, before the engine goes on:
 * must be thread-safe, fast, and must not throw.
 */
@FunctionalInterface
public interface RebalanceObserver {

  void on(Observation observation);

  /** An observer that forgets everything. */
  static RebalanceObserver none() {
    return observation -> {};
  }
}
