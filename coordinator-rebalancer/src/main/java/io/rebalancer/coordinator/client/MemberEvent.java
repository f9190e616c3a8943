package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** What happens to a member. Answers name the attempt or the generation they belong to. */
sealed interface MemberEvent {

  void accept(Visitor visitor);

  record Started() implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onStarted(this);
    }
  }

  /** There is a connection to the coordinator. */
  record Connected() implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onConnected(this);
    }
  }

  /** The connection is gone, or none could be made. {@code error} says why when a server did. */
  record Disconnected(Errors error, String reason) implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onDisconnected(this);
    }
  }

  /**
   * Which topics there are.
   *
   * @param names those that a pattern may match
   */
  record TopicsListed(int attempt, Set<String> names) implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onTopicsListed(this);
    }
  }

  record TimerFired(MemberTimer timer) implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onTimerFired(this);
    }
  }

  /**
   * Join was answered.
   *
   * @param member null when the answer carries no id
   * @param plan of the group, when this member is to assign; else null
   * @param leads whether it is the group leader, also one that has nothing to assign
   * @param part what the member is to have from now on, where the coordinator assigns; else null
   */
  record Joined(
      int attempt,
      Errors error,
      int generation,
      @Nullable MemberId member,
      @Nullable GroupPlan plan,
      boolean leads,
      @Nullable Part part)
      implements MemberEvent {

    /**
     * As a Sync brings it.
     *
     * @param late as {@link Synced#late}
     */
    record Part(Assignment partitions, long sentAtNanos, boolean late) {}

    /** Of a group whose leader assigns. */
    Joined(
        int attempt,
        Errors error,
        int generation,
        @Nullable MemberId member,
        @Nullable GroupPlan plan) {
      this(attempt, error, generation, member, plan, plan != null, null);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.onJoined(this);
    }
  }

  /** What there is of the topics asked for. */
  record TopicsKnown(int attempt, KnownTopics topics) implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onTopicsKnown(this);
    }
  }

  /**
   * Sync was answered.
   *
   * @param late so long after it was sent that the session, which the coordinator has counted since
   *     it answered, may be over: nothing tells how long the answer was on its way
   * @param delay how long the group waits for a member to come back; zero when it does not
   */
  record Synced(
      int attempt,
      Errors error,
      Assignment assignment,
      long sentAtNanos,
      boolean late,
      Duration delay)
      implements MemberEvent {

    Synced(int attempt, Errors error, Assignment assignment, long sentAtNanos, boolean late) {
      this(attempt, error, assignment, sentAtNanos, late, Duration.ZERO);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.onSynced(this);
    }
  }

  /** A heartbeat or a commit, sent then in that generation, was answered. */
  record Told(int generation, Errors error, long sentAtNanos) implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onTold(this);
    }
  }

  /** The application has called keepAlive(). */
  record Polled() implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onPolled(this);
    }
  }

  record ListenerReturned(boolean failed) implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onListenerReturned(this);
    }
  }

  record CloseRequested() implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onCloseRequested(this);
    }
  }

  record CrashRequested() implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onCrashRequested(this);
    }
  }

  /** Leave was answered, whatever with, or could not be sent. */
  record LeaveDone() implements MemberEvent {
    @Override
    public void accept(Visitor visitor) {
      visitor.onLeaveDone(this);
    }
  }

  /** A new event does not compile until it is handled. */
  interface Visitor {
    void onStarted(Started event);

    void onConnected(Connected event);

    void onDisconnected(Disconnected event);

    void onTopicsListed(TopicsListed event);

    void onTimerFired(TimerFired event);

    void onJoined(Joined event);

    void onTopicsKnown(TopicsKnown event);

    void onSynced(Synced event);

    void onTold(Told event);

    void onPolled(Polled event);

    void onListenerReturned(ListenerReturned event);

    void onCloseRequested(CloseRequested event);

    void onCrashRequested(CrashRequested event);

    void onLeaveDone(LeaveDone event);
  }
}
