package io.rebalancer.core.assignor.member;

/**
 * Divides the partitions of a group among its members. Pure, thread-safe, and with the same result
 * whatever the order in which the input was put together.
 *
 * <p>Also the service interface of assignors that are added by a user's own jar: {@link Assignors}.
 */
public interface MemberAssignor {

  /** The protocol's name of the strategy, such as {@code range} or {@code sticky}. */
  String name();

  /**
   * Gives every partition of every topic that somebody subscribes to, to one of its subscribers.
   * Only one for cooperative members may leave out what somebody has to let go of first.
   */
  GroupAssignment assign(GroupInput group);
}
