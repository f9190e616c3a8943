package io.rebalancer.core.observe;

import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;

/**
 * One thing that happened in an engine. Times are of a {@link io.rebalancer.core.time.Ticker};
 * members are named by the name they were configured with ({@link
 * io.rebalancer.core.engine.MemberConfig#name}).
 */
public sealed interface Observation {

  long atNanos();

  <R> R accept(Visitor<R> visitor);

  /** The holder of a ZooKeeper session that is not a member's. */
  String COORDINATOR = "coordinator";

  /**
   * A watch event reached its watcher: a notification. Connection events (type None) are none.
   *
   * @param session the member whose ZooKeeper session it came through, or {@link #COORDINATOR}
   * @param type ZooKeeper's name, such as {@code NodeChildrenChanged}
   * @param path as the client sees it, without chroot
   */
  record WatchDelivered(long atNanos, String session, String type, String path)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onWatchDelivered(this);
    }
  }

  /**
   * A change was found that no watch had told of, and the watch set again.
   *
   * @param session the member whose watch was lost
   * @param path as the client sees it, without chroot
   */
  record WatchRepaired(long atNanos, String session, String path) implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onWatchRepaired(this);
    }
  }

  /**
   * A ZooKeeper client reconnected within its session: missed events follow uncounted by the
   * server.
   */
  record Reconnected(long atNanos, String session) implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReconnected(this);
    }
  }

  /** A ZooKeeper request was sent: one read, or one write (a multi is one write). */
  record Requested(long atNanos, String session, Kind kind) implements Observation {
    /** What the server counts it as. */
    public enum Kind {
      READ,
      WRITE
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRequested(this);
    }
  }

  /**
   * A member began one rebalance attempt.
   *
   * @param attempt counts this member's attempts from 1
   * @param trigger why, in a word: {@code join}, {@code members}, {@code brokers}, {@code topic},
   *     {@code retry}, {@code session}, {@code told}, {@code lost}
   */
  record AttemptStarted(long atNanos, String member, int attempt, String trigger)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAttemptStarted(this);
    }
  }

  /**
   * That attempt ended.
   *
   * @param superseded its inputs had already changed again when it ended
   * @param before what the member owned when the attempt began
   * @param after what it owns now
   */
  record AttemptEnded(
      long atNanos,
      String member,
      int attempt,
      boolean failed,
      boolean superseded,
      Assignment before,
      Assignment after)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAttemptEnded(this);
    }
  }

  /** A claim met another's owner znode. */
  record ClaimLost(long atNanos, String member, TopicPartition partition, String owner)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onClaimLost(this);
    }
  }

  /** A member has used up its tries and waits for the next event, owning nothing. */
  record GaveUp(long atNanos, String member) implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onGaveUp(this);
    }
  }

  /**
   * A coordinator took a member into its group: it has answered the Join. Once for each id that a
   * member is given; members without a coordinator do not say it.
   */
  record MemberJoined(long atNanos, String member, String id) implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onMemberJoined(this);
    }
  }

  /**
   * A member ended by itself, since its group or its coordinator does not take it. It owns nothing
   * and does not come back.
   */
  record MemberRefused(long atNanos, String member, String reason) implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onMemberRefused(this);
    }
  }

  /**
   * A payload could not be read. What that means is up to the reader: an attempt fails of it, or
   * goes on without it.
   *
   * @param path as the client sees it, without chroot
   * @param content the first 200 characters, on one line
   */
  record ZnodeUnreadable(long atNanos, String member, String path, String content)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onZnodeUnreadable(this);
    }
  }

  /** A member wrote the offset znode of one partition. */
  record OffsetCommitted(long atNanos, String member, TopicPartition partition, long offset)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onOffsetCommitted(this);
    }
  }

  /** A coordinator moved a group from one phase to another. */
  record PhaseChanged(
      long atNanos, GroupId group, int generation, String from, String to, String reason)
      implements Observation {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onPhaseChanged(this);
    }
  }

  /** An entry for the ownership ledger. */
  record Ownership(LedgerEntry entry) implements Observation {
    @Override
    public long atNanos() {
      return entry.atNanos();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onOwnership(this);
    }
  }

  /** A new observation does not compile until everyone who handles them has decided. */
  interface Visitor<R> {
    R onWatchDelivered(WatchDelivered observation);

    R onWatchRepaired(WatchRepaired observation);

    R onReconnected(Reconnected observation);

    R onRequested(Requested observation);

    R onAttemptStarted(AttemptStarted observation);

    R onAttemptEnded(AttemptEnded observation);

    R onClaimLost(ClaimLost observation);

    R onGaveUp(GaveUp observation);

    R onMemberJoined(MemberJoined observation);

    R onMemberRefused(MemberRefused observation);

    R onZnodeUnreadable(ZnodeUnreadable observation);

    R onOffsetCommitted(OffsetCommitted observation);

    R onPhaseChanged(PhaseChanged observation);

    R onOwnership(Ownership observation);
  }
}
