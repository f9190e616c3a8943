package io.rebalancer.core.ledger;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;

/** What the checker found. A run is valid when nothing was violated. */
public record LedgerVerdict(List<Violation> violations) {

  public LedgerVerdict {
    violations = List.copyOf(violations);
  }

  public boolean valid() {
    return violations.isEmpty();
  }

  /** One broken rule. */
  public record Violation(
      Rule rule,
      TopicPartition partition,
      String member,
      FencingToken token,
      String other,
      FencingToken otherToken,
      long atNanos,
      long overlapNanos) {

    @Override
    public String toString() {
      return switch (rule) {
        case TWO_OWNERS ->
            "%s: %s (%s) processed it while %s (%s) did, for %.3f ms"
                .formatted(partition, member, token, other, otherToken, overlapNanos / 1e6);
        case TOKEN_FELL ->
            "%s: %s began with %s after %s had %s"
                .formatted(partition, member, token, other, otherToken);
        case NO_RIGHT ->
            "%s: %s began with %s, which no claim or grant in the ledger gave it"
                .formatted(partition, member, token);
      };
    }
  }

  /** What a ledger must prove. */
  public enum Rule {
    /** Processing intervals of one partition do not overlap. */
    TWO_OWNERS,
    /** From owner to owner of one partition, tokens rise. */
    TOKEN_FELL,
    /** Who begins to process has claimed the partition or was granted it, with that very token. */
    NO_RIGHT
  }
}
