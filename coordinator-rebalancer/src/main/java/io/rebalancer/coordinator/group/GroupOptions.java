package io.rebalancer.coordinator.group;

/**
 * How one group gets its assignment.
 *
 * @param assignor who divides in a server-assigned group ({@code group.assignor}); empty in a
 *     classic one, whose group leader decides
 * @param maxDelayMs how long the partitions of a member that vanished wait for it ({@code
 *     scheduled.rebalance.max.delay.ms}); 0 for not at all, and always 0 in a classic group
 */
public record GroupOptions(String assignor, int maxDelayMs) {

  /** The group leader assigns, as in Kafka's classic protocol. */
  public static final GroupOptions CLASSIC = new GroupOptions("", 0);

  /** The coordinator assigns ({@code group.assignment=server}). */
  public static GroupOptions server(String assignor, int maxDelayMs) {
    return new GroupOptions(assignor, maxDelayMs);
  }

  public boolean isServer() {
    return !assignor.isEmpty();
  }
}
