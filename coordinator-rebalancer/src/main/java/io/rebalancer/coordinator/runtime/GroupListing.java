package io.rebalancer.coordinator.runtime;

import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** The groups of all event loops, as they come in; one refusal refuses the whole. Thread-safe. */
final class GroupListing {

  private final Consumer<GroupError> refused;
  private final Consumer<List<GroupState>> answer;
  private final List<GroupState> groups = new ArrayList<>();
  private GroupError error = GroupError.NONE;
  private int missing;

  GroupListing(int parts, Consumer<GroupError> refused, Consumer<List<GroupState>> answer) {
    this.refused = refused;
    this.answer = answer;
    missing = parts;
  }

  void add(List<GroupState> part) {
    put(part, GroupError.NONE);
  }

  void refuse(GroupError why) {
    put(List.of(), why);
  }

  private void put(List<GroupState> part, GroupError why) {
    synchronized (this) {
      groups.addAll(part);
      error = error == GroupError.NONE ? why : error;
      missing--;
      if (missing > 0) {
        return;
      }
    }
    if (error != GroupError.NONE) {
      refused.accept(error);
    } else {
      groups.sort(Comparator.comparing(group -> group.id().value()));
      answer.accept(List.copyOf(groups));
    }
  }
}
