package io.rebalancer.bridge.experiment;

import io.rebalancer.core.observe.Observation;
import java.util.List;

/** A run's result with everything that was observed in it, and what was done to it. */
public record RunRecord(
    RunResult result, long startNanos, List<Observation> observations, List<Mark> marks) {

  public RunRecord {
    observations = List.copyOf(observations);
    marks = List.copyOf(marks);
  }

  /**
   * A moment that delimits what is measured.
   *
   * @param kind {@code change}: made then; {@code settled}: the last movement before the group was;
   *     {@code deadline}: it was not by then
   * @param what the change
   */
  public record Mark(long atNanos, String kind, String what) {}
}
