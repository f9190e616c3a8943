package io.rebalancer.bridge.cli;

import io.rebalancer.core.model.GroupId;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** Says who is in the way. */
final class LiveMembers {

  private static final int NAMED = 20;

  private LiveMembers() {}

  /** Names the first of them. */
  static String sentence(GroupId group, SortedSet<String> live) {
    return group
        + " has live members: "
        + live.stream().limit(NAMED).collect(Collectors.joining(", "))
        + (live.size() > NAMED ? " and " + (live.size() - NAMED) + " more" : "");
  }
}
