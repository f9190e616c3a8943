package io.rebalancer.coordinator.client;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.assignor.member.Assignors;
import io.rebalancer.core.assignor.member.MemberAssignor;
import io.rebalancer.core.assignor.member.TwoRounds;
import java.util.Map;

/**
 * The strategies there are: {@code range} and {@code roundrobin} by thread, as in the original, and
 * all others as {@link Assignors} knows them.
 */
final class Strategies {

  private Strategies() {}

  /** Throws {@link IllegalArgumentException} that says which names there are. */
  static Strategy named(String name) {
    return switch (name) {
      case "range" -> new ThreadStrategy(new RangeAssignor());
      case "roundrobin" ->
          new ThreadStrategy(new RoundRobinAssignor(RoundRobinAssignor.Release.V1_0));
      case "sticky" -> new MemberStrategy(assignor(name), ClaimFormat.STICKY, false);
      case "cooperative-sticky" ->
          new MemberStrategy(assignor(name), ClaimFormat.COOPERATIVE, true);
      case "uniform", "weighted" ->
          new MemberStrategy(new TwoRounds(assignor(name)), ClaimFormat.OWNED, true);
      default -> new MemberStrategy(assignor(name), ClaimFormat.OWNED, false);
    };
  }

  private static MemberAssignor assignor(String name) {
    Map<String, MemberAssignor> all = Assignors.all();
    MemberAssignor found = all.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "partition.assignment.strategy: %s (expected: one of %s)"
              .formatted(name, String.join(", ", all.keySet())));
    }
    return found;
  }
}
