package io.rebalancer.coordinator;

import io.rebalancer.coordinator.group.GroupOptions;
import io.rebalancer.core.assignor.member.Assignors;
import java.time.Duration;
import java.util.Set;

/**
 * Who assigns in a group.
 *
 * @param server {@code group.assignment}: whether the coordinator does ({@code server}), else the
 *     group leader ({@code classic}, the default)
 * @param assignor {@code group.assignor}: by which of {@link Assignors}, default {@code uniform};
 *     used in server-assigned groups alone
 * @param maxDelay {@code scheduled.rebalance.max.delay.ms}: how long the partitions of a member
 *     that vanished wait for it; 0, the default, for not at all
 */
public record GroupAssignmentConfig(boolean server, String assignor, Duration maxDelay) {

  static final String ASSIGNMENT = "group.assignment";
  static final String ASSIGNOR = "group.assignor";
  static final String MAX_DELAY = "scheduled.rebalance.max.delay.ms";

  /** The group leader assigns, as in Kafka. */
  public static final GroupAssignmentConfig CLASSIC =
      new GroupAssignmentConfig(false, "uniform", Duration.ZERO);

  /**
   * Throws {@link IllegalArgumentException} that names the key, its value and what was expected.
   */
  public GroupAssignmentConfig {
    Set<String> assignors = Assignors.all().keySet();
    if (!assignors.contains(assignor)) {
      throw new IllegalArgumentException(
          ASSIGNOR + ": " + assignor + " (expected: one of " + String.join(", ", assignors) + ")");
    }
    if (assignor.equals("cooperative-sticky")) {
      throw new IllegalArgumentException(
          ASSIGNOR
              + ": cooperative-sticky (expected: one that gives out every partition; members are led"
              + " to its assignment one by one in any case)");
    }
    if (maxDelay.isNegative() || maxDelay.compareTo(Duration.ofMillis(Integer.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException(
          MAX_DELAY + ": " + maxDelay.toMillis() + " (expected: 0 to 2147483647)");
    }
    if (!server && !maxDelay.isZero()) {
      throw new IllegalArgumentException(
          MAX_DELAY
              + ": "
              + maxDelay.toMillis()
              + " (expected: 0 where "
              + ASSIGNMENT
              + " is classic, since its group leader assigns; or "
              + ASSIGNMENT
              + "=server)");
    }
  }

  /** The coordinator assigns. */
  public static GroupAssignmentConfig server(String assignor, Duration maxDelay) {
    return new GroupAssignmentConfig(true, assignor, maxDelay);
  }

  GroupOptions options() {
    return server ? GroupOptions.server(assignor, (int) maxDelay.toMillis()) : GroupOptions.CLASSIC;
  }
}
