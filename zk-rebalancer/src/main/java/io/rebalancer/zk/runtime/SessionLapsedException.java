package io.rebalancer.zk.runtime;

/** There is no connection, and the ZooKeeper session may have ended by now. */
public final class SessionLapsedException extends RegistryException {

  private static final long serialVersionUID = 1L;

  public SessionLapsedException(String message) {
    super(message, null);
  }
}
