package io.rebalancer.core.ledger;

import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.GroupId;

/**
 * One line of the ownership ledger: {@code member} and the partitions something happened to, all
 * under one token.
 *
 * @param member the name the member was configured with
 * @param token of the claim or grant; {@link FencingToken#NONE} where the kind has none
 */
public record LedgerEntry(
    long atNanos,
    Kind kind,
    GroupId group,
    String member,
    Assignment partitions,
    FencingToken token) {

  public LedgerEntry {
    requireNonNull(kind, "kind");
    requireNonNull(group, "group");
    requireNonNull(member, "member");
    requireNonNull(partitions, "partitions");
    requireNonNull(token, "token");
  }

  /** What happened. */
  public enum Kind {
    /** The member created the owner znode. */
    CLAIMED,
    /** The coordinator stored the assignment that gives the partitions to the member. */
    GRANTED,
    /** The member begins to process: ownership begins. */
    ASSIGNED,
    /** The member has stopped to process, in good order: ownership ends. */
    REVOKED,
    /** The member has stopped to process without having been asked: ownership ends. */
    LOST,
    /** The member deleted the owner znode. */
    RELEASED
  }
}
