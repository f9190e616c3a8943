package io.rebalancer.coordinator;

/** A coordinator did not start; the message is one line and names the address concerned. */
public final class CoordinatorStartException extends RuntimeException {

  /** What stood in the way. */
  public enum Kind {
    /** The address to listen on is taken or not this machine's. */
    LISTEN,
    /** ZooKeeper cannot be reached, or refuses. */
    ZOOKEEPER
  }

  private final Kind kind;

  CoordinatorStartException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
