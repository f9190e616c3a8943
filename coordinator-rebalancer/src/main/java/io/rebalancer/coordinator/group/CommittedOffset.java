package io.rebalancer.coordinator.group;

/**
 * A stored position.
 *
 * @param leaderEpoch -1 when the client did not know it
 * @param timestampMs wall clock of the commit; not part of what makes two commits equal in effect
 * @param expireTimestampMs until when the client wants it kept, which OffsetCommit v2 to v4 could
 *     say; -1 for the coordinator's own rule
 */
public record CommittedOffset(
    long offset, int leaderEpoch, String metadata, long timestampMs, long expireTimestampMs) {

  private static final long NEVER_SAID = -1;

  public CommittedOffset(long offset, int leaderEpoch, String metadata, long timestampMs) {
    this(offset, leaderEpoch, metadata, timestampMs, NEVER_SAID);
  }

  public boolean samePositionAs(CommittedOffset other) {
    return offset == other.offset
        && leaderEpoch == other.leaderEpoch
        && metadata.equals(other.metadata)
        && expireTimestampMs == other.expireTimestampMs;
  }

  public boolean expiresByItself() {
    return expireTimestampMs != NEVER_SAID;
  }
}
