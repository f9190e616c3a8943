package io.rebalancer.core.ledger;

import io.rebalancer.core.ledger.LedgerVerdict.Rule;
import io.rebalancer.core.ledger.LedgerVerdict.Violation;
import io.rebalancer.core.ledger.OwnershipTimeline.Interval;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Turns the ledger of a run into a verdict. Knows nothing of the engines that wrote it. */
public final class LedgerChecker {

  private record Right(TopicPartition partition, String member, FencingToken token) {}

  private LedgerChecker() {}

  /**
   * Checks every rule of {@link Rule} over the whole ledger of one group.
   *
   * @param horizonNanos when the run ended: overlaps that still go on are counted up to it
   */
  public static LedgerVerdict check(Collection<LedgerEntry> entries, long horizonNanos) {
    List<Violation> violations = new ArrayList<>();
    Set<Right> rights = rights(entries);
    OwnershipTimeline.of(entries)
        .intervals()
        .forEach(
            (partition, intervals) -> {
              for (int i = 0; i < intervals.size(); i++) {
                Interval interval = intervals.get(i);
                if (!rights.contains(new Right(partition, interval.member(), interval.token()))) {
                  violations.add(
                      violation(Rule.NO_RIGHT, partition, interval, interval, horizonNanos));
                }
                if (i > 0 && fell(intervals.get(i - 1), interval)) {
                  violations.add(
                      violation(
                          Rule.TOKEN_FELL,
                          partition,
                          interval,
                          intervals.get(i - 1),
                          horizonNanos));
                }
                for (int j = 0; j < i; j++) {
                  Interval earlier = intervals.get(j);
                  if (!earlier.member().equals(interval.member())
                      && earlier.overlapNanos(interval, horizonNanos) > 0) {
                    violations.add(
                        violation(Rule.TWO_OWNERS, partition, interval, earlier, horizonNanos));
                  }
                }
              }
            });
    return new LedgerVerdict(violations);
  }

  private static Set<Right> rights(Collection<LedgerEntry> entries) {
    Set<Right> rights = new HashSet<>();
    for (LedgerEntry entry : entries) {
      switch (entry.kind()) {
        case CLAIMED, GRANTED ->
            entry.partitions().stream()
                .forEach(p -> rights.add(new Right(p, entry.member(), entry.token())));
        case ASSIGNED, REVOKED, LOST, RELEASED -> {}
      }
    }
    return rights;
  }

  /** An equal token is a repetition when it is the same member's, else a second owner's. */
  private static boolean fell(Interval earlier, Interval later) {
    int order = later.token().compareTo(earlier.token());
    return order < 0 || (order == 0 && !later.member().equals(earlier.member()));
  }

  private static Violation violation(
      Rule rule, TopicPartition partition, Interval interval, Interval other, long horizonNanos) {
    return new Violation(
        rule,
        partition,
        interval.member(),
        interval.token(),
        other.member(),
        other.token(),
        interval.startNanos(),
        rule == Rule.TWO_OWNERS ? other.overlapNanos(interval, horizonNanos) : 0);
  }
}
