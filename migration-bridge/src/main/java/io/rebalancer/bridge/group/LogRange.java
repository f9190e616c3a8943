package io.rebalancer.bridge.group;

/**
 * A partition's log as its broker shows it.
 *
 * @param first offset that can be read
 * @param end one more than the last
 */
public record LogRange(long first, long end) {

  /** {@code offset}, or the bound of this log that it lies beyond. */
  public long nearest(long offset) {
    return Math.max(first, Math.min(offset, end));
  }
}
