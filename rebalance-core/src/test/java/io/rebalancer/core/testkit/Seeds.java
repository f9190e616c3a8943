package io.rebalancer.core.testkit;

import java.util.stream.LongStream;

/**
 * The seeds that randomised tests run through: 1 to 20, or the one named by {@code
 * -Drebalancer.seed=N} to replay a failure.
 */
public final class Seeds {

  private Seeds() {}

  public static long[] fixed() {
    return upTo(20);
  }

  /** 1 to {@code last}, or the one that is named. */
  public static long[] upTo(int last) {
    Long one = Long.getLong("rebalancer.seed");
    return one != null ? new long[] {one} : LongStream.rangeClosed(1, last).toArray();
  }
}
