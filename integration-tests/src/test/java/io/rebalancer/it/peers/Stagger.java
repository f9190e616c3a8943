package io.rebalancer.it.peers;

import static org.awaitility.Awaitility.await;

import java.time.Duration;

/** Turns of 100 ms each. */
final class Stagger {

  private static final long STEP_NANOS = Duration.ofMillis(100).toNanos();

  private long nextAtNanos = System.nanoTime();

  void awaitTurn() {
    await().pollInterval(Duration.ofMillis(5)).until(() -> System.nanoTime() - nextAtNanos >= 0);
    nextAtNanos += STEP_NANOS;
  }
}
