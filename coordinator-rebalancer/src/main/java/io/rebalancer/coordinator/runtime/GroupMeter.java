package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupPhase;
import org.jspecify.annotations.Nullable;

/** Port: counts what groups do. On the groups' loops; must be fast, thread-safe, and not throw. */
public interface GroupMeter {

  /** Counts nothing. */
  GroupMeter NONE =
      new GroupMeter() {
        @Override
        public void phase(@Nullable GroupPhase from, @Nullable GroupPhase to) {}

        @Override
        public void partitions(int assigned, int revoked) {}

        @Override
        public void notAssigned() {}
      };

  /** A group went from one phase to another; from null when it appears, to null when it goes. */
  void phase(@Nullable GroupPhase from, @Nullable GroupPhase to);

  /** So many partitions were given to a member that did not have them, and taken from one. */
  void partitions(int assigned, int revoked);

  /** The assignor of a server-assigned group failed. */
  void notAssigned();
}
