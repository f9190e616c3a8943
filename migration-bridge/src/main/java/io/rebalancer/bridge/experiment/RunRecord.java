package io.rebalancer.bridge.experiment;

import io.rebalancer.core.observe.Observation;
import java.util.List;

/** A run's result with everything that was observed in it. */
public record RunRecord(RunResult result, long startNanos, List<Observation> observations) {

  public RunRecord {
    observations = List.copyOf(observations);
  }
}
