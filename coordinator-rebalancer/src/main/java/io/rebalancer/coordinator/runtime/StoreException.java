package io.rebalancer.coordinator.runtime;

/** The store did not take it, and will not. */
public final class StoreException extends Exception {

  /** Why. */
  public enum Reason {
    /** The slot has another coordinator, or may have one. */
    FENCED,
    /** It was not reachable for too long. */
    UNAVAILABLE,
    /** No znode holds so much. */
    TOO_LARGE,
    /** What it holds cannot be read. */
    CORRUPT
  }

  private final Reason reason;

  public StoreException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
