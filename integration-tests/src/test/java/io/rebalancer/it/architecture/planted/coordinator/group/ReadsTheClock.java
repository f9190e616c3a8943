package io.rebalancer.it.architecture.planted.coordinator.group;

/** A state machine that reads the clock. */
class ReadsTheClock {
  long now() {
    return System.nanoTime();
  }
}
