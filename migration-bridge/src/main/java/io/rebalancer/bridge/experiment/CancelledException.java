package io.rebalancer.bridge.experiment;

/** The run was asked to end. */
public final class CancelledException extends RuntimeException {

  CancelledException() {
    super("interrupted");
  }
}
