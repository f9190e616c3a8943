package io.rebalancer.it.peers;

/**
 * What one change cost a group, from the change until nothing moved any more.
 *
 * @param membershipEvents watch events of children, as the server counted them
 * @param topicEvents watch events of data
 * @param otherEvents watch events of created and deleted nodes
 * @param reads read requests at the server
 * @param writes write requests at the server, failed ones too; opening and closing a session are
 *     one each
 * @param claimed owner znodes created
 * @param released owner znodes deleted, those that went with a session too
 * @param attempts passes through the rebalance
 */
record Counts(
    long membershipEvents,
    long topicEvents,
    long otherEvents,
    long reads,
    long writes,
    long claimed,
    long released,
    Attempts attempts) {

  /**
   * Attempts of all members together.
   *
   * @param failed those that lost a claim
   * @param redundant those that ended with just the partitions the member had before
   */
  record Attempts(int all, int failed, int redundant) {}

  /** The same with that many reads less. */
  Counts withoutReads(long number) {
    return new Counts(
        membershipEvents,
        topicEvents,
        otherEvents,
        reads - number,
        writes,
        claimed,
        released,
        attempts);
  }
}
