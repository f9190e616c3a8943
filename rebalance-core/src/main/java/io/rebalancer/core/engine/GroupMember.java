package io.rebalancer.core.engine;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** One live member of a group. Thread-safe. */
public interface GroupMember extends AutoCloseable {

  /** Empty while the group has not yet given this member an id. */
  Optional<MemberId> id();

  /** What this member believes it owns at this moment. */
  Assignment assignment();

  /**
   * Stores the position after the last processed record, for partitions this member owns. Fails
   * with {@link IllegalArgumentException} for an offset below 0, with {@link IllegalStateException}
   * when it owns one of them no longer, with {@link java.io.IOException} when the store did not
   * take it.
   */
  CompletableFuture<Void> commit(Map<TopicPartition, Long> offsets);

  /** The stored position, or empty when none was ever stored. */
  CompletableFuture<Optional<Long>> committed(TopicPartition partition);

  /** Leaves in good order: revokes, releases, says goodbye. Idempotent; returns when done. */
  @Override
  void close();

  /**
   * Ends this member as a killed process would end: processing stops at once, its socket closes
   * without a goodbye, and the others learn of it only when the session runs out. For fault
   * injection. Idempotent.
   */
  void crash();
}
