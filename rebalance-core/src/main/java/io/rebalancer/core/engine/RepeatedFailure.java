package io.rebalancer.core.engine;

import static java.util.Objects.requireNonNull;

import java.util.HashSet;
import java.util.Set;

/**
 * What is tried again and fails, to be logged by its kinds: each once, however often it comes,
 * until what was tried has succeeded. Not thread-safe.
 */
public final class RepeatedFailure {

  /** Those beyond it are taken for repetitions: texts that are never the same are no kinds. */
  private static final int MAX_KINDS = 16;

  private final Set<String> kinds = new HashSet<>();
  private int count;

  /** Counts it, and says whether it is the first of its kind. */
  public boolean isFirst(String kind) {
    requireNonNull(kind, "kind");
    count++;
    return kinds.size() < MAX_KINDS && kinds.add(kind);
  }

  /** Success: how often it had failed since the last one. What fails from here on is new. */
  public int succeeded() {
    int failures = count;
    count = 0;
    kinds.clear();
    return failures;
  }
}
