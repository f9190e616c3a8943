package io.rebalancer.coordinator.server;

import io.rebalancer.core.model.GroupId;
import java.util.Optional;

/** A group's name is part of a path in ZooKeeper, where not every name can stand. */
final class GroupIds {

  private GroupIds() {}

  static Optional<GroupId> legal(String groupId) {
    if (groupId.equals(".") || groupId.equals("..")) {
      return Optional.empty();
    }
    try {
      return Optional.of(new GroupId(groupId));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
