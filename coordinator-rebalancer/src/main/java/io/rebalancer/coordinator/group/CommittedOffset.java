package io.rebalancer.coordinator.group;

/**
 * A stored position.
 *
 * @param leaderEpoch -1 when the client did not know it
 * @param timestampMs wall clock of the commit; not part of what makes two commits equal in effect
 */
public record CommittedOffset(long offset, int leaderEpoch, String metadata, long timestampMs) {

  public boolean samePositionAs(CommittedOffset other) {
    return offset == other.offset
        && leaderEpoch == other.leaderEpoch
        && metadata.equals(other.metadata);
  }
}
