package io.rebalancer.core.assignor.member;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.util.SortedMap;

/** Divides the partitions of a group among its members. Pure and thread-safe. */
public interface MemberAssignor {

  /** The protocol's name of the strategy, such as {@code range} or {@code sticky}. */
  String name();

  /**
   * Gives every partition of every topic that somebody subscribes to, to one of its subscribers.
   *
   * @return every member, also those that get nothing
   */
  SortedMap<MemberId, Assignment> assign(GroupInput group);
}
