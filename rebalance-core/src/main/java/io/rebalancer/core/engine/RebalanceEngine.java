package io.rebalancer.core.engine;

/** One way of deciding who owns which partition. Thread-safe. */
public interface RebalanceEngine extends AutoCloseable {

  /** {@code zk} or {@code coordinator}, as in result files. */
  String name();

  /**
   * Makes a member and starts it. Returns when its registration or first request is under way; the
   * assignment follows through {@code listener}.
   *
   * @throws IllegalArgumentException if the engine does not serve topics given by a pattern
   * @throws IllegalStateException after {@link #close}
   * @throws java.io.UncheckedIOException if ZooKeeper or the coordinator cannot be reached
   */
  GroupMember join(MemberConfig config, OwnershipListener listener);

  /** Closes every member that is still open, then the engine. Idempotent. */
  @Override
  void close();
}
