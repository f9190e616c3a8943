package io.rebalancer.bench;

/**
 * How long a cell is measured.
 *
 * @param forks 0 measures in this JVM, which only tests that it works
 * @param heap of the fork's JVM, as {@code -Xmx} has it
 * @param mostTries {@link Cell#tries} above which a cell is left out
 * @param limitSeconds after which the fork gives up on one assignment
 */
record Effort(
    int forks,
    int warmups,
    int iterations,
    int millis,
    long mostTries,
    String heap,
    int limitSeconds) {

  /** A group that takes longer than an iteration is assigned once in each. */
  private static final int FEW = 2;

  private static final int LARGE = 1_000_000;

  /** Ten times as many take more than a minute. */
  private static final long ABOUT_A_SECOND = 1_000_000;

  private static final long LESS_THAN_A_SECOND = 100_000;

  static Effort full(String heap, int limitSeconds) {
    return new Effort(1, 3, 3, 400, ABOUT_A_SECOND, heap, limitSeconds);
  }

  static Effort quick(String heap, int limitSeconds) {
    return new Effort(1, 2, 2, 150, LESS_THAN_A_SECOND, heap, limitSeconds);
  }

  Effort tryingAll() {
    return new Effort(forks, warmups, iterations, millis, Long.MAX_VALUE, heap, limitSeconds);
  }

  /** One is assigned before the first warm-up, and for a leave one before that. */
  Effort at(int partitions) {
    return partitions < LARGE
        ? this
        : new Effort(
            forks,
            Math.min(warmups, FEW),
            Math.min(iterations, FEW + 1),
            millis + millis / 4,
            mostTries,
            heap,
            limitSeconds);
  }
}
