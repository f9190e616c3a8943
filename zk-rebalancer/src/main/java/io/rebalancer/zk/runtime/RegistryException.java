package io.rebalancer.zk.runtime;

import org.jspecify.annotations.Nullable;

/** ZooKeeper did not do what was asked, or will not any more; the message names the path. */
public class RegistryException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public RegistryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
