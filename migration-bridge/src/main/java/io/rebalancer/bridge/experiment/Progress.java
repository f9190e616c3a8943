package io.rebalancer.bridge.experiment;

/** Told where a comparison stands, for a person who waits. Must not block. */
@FunctionalInterface
public interface Progress {

  void at(int run, int runs, String engine, String scenario, String step);

  static Progress silent() {
    return (run, runs, engine, scenario, step) -> {};
  }
}
