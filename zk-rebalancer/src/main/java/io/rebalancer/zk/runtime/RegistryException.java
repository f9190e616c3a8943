package io.rebalancer.zk.runtime;

import org.jspecify.annotations.Nullable;

/** ZooKeeper did not do what was asked, or will not any more; the message names the path. */
public final class RegistryException extends RuntimeException {

  public RegistryException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
