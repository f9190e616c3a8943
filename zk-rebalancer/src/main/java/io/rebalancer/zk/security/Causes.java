package io.rebalancer.zk.security;

/** What is at the bottom of an exception. */
final class Causes {

  private Causes() {}

  static Throwable root(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }
}
