package io.rebalancer.coordinator.group;

/** One timer of a group; arming it again replaces it. {@code member} is empty for group timers. */
public record TimerId(Kind kind, String member) {

  /** What runs out (Kafka's timers of the classic group). */
  public enum Kind {
    /** The window in which the members of an empty group gather. */
    INITIAL_DELAY,
    /** How long the join phase waits for known members. */
    REBALANCE,
    /** How long a member that has joined may take to sync. */
    SYNC,
    /** How long a member may be silent. */
    SESSION,
    /** How long an id that was handed out is kept for its client to come back with. */
    PENDING,
    /** How long a first Join may stay parked: a muted socket hides a dead client (KAFKA-7610). */
    NEW_MEMBER,
    /** How long a member of a server-assigned group may take to let go of partitions. */
    REVOCATION,
    /** After how long a write that failed is tried again where nobody waits for it. */
    STORE,
    /** After how long an assignment that failed is tried again; the runtime's to arm. */
    ASSIGNMENT,
    /** How long the partitions of vanished members wait for them. */
    DELAY,
    /** The same in a classic group, where its leader sees to it: only for who asks. */
    LED_DELAY
  }

  public static TimerId ofGroup(Kind kind) {
    return new TimerId(kind, "");
  }
}
