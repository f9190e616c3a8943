package io.rebalancer.coordinator.group;

import java.util.List;

/** The outcome of one event: the state after it, and what is to be done, in order. */
public record Step(GroupState state, List<GroupEffect> effects) {

  public Step {
    effects = List.copyOf(effects);
  }
}
