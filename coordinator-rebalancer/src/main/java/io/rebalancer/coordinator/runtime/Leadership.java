package io.rebalancer.coordinator.runtime;

/** Port: whether this coordinator is one. */
public interface Leadership {

  /** Cheap; asked before every answer, on any thread. */
  Standing standing();
}
