package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Everything that can happen to one consumer; answers to its effects are events too. */
public sealed interface ConsumerEvent {

  <R> R accept(Visitor<R> visitor);

  /** The application wants it to run. */
  record Started() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onStarted(this);
    }
  }

  /** The registration is written; the first one, or that of a new session. */
  record Registered() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRegistered(this);
    }
  }

  /** The registration could not be written. */
  record RegistrationFailed(String reason) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRegistrationFailed(this);
    }
  }

  /** Another's registration is there under its id, and it is to wait for that to go. */
  record RegistrationHeld(String holder) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRegistrationHeld(this);
    }
  }

  /** That wait is over. */
  record RegistrationDue() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRegistrationDue(this);
    }
  }

  /** The first watches are set. */
  record Subscribed() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onSubscribed(this);
    }
  }

  /** A watch fired, has been set again, and asks for a rebalance. */
  record Triggered(Trigger trigger) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onTriggered(this);
    }
  }

  /**
   * Other topics than before match its wildcard, it watches them, and nothing more is delivered
   * until it has rebalanced.
   */
  record TopicsChanged() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onTopicsChanged(this);
    }
  }

  /** The session had expired; there is a new one. */
  record SessionRenewed() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onSessionRenewed(this);
    }
  }

  /**
   * The connection is lost; the session may end unnoticed from a time on. Only a strict one hears
   * of it.
   */
  record Disconnected(long lapsesAtNanos) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onDisconnected(this);
    }
  }

  /**
   * That time has come without a connection: news while it waits, or the end of the effect that was
   * to be carried out. What is to be sent from now on waits for a connection.
   */
  record SessionLapsed() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onSessionLapsed(this);
    }
  }

  /** The application wants it to leave. */
  record CloseRequested() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onCloseRequested(this);
    }
  }

  /** The brokers are read, and its own registration is there. */
  record BrokersRead(int brokers) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onBrokersRead(this);
    }
  }

  /** The brokers are read, but its own registration is gone. */
  record RegistrationMissing() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRegistrationMissing(this);
    }
  }

  /** A watch on the brokers is set. */
  record BrokersWatched() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onBrokersWatched(this);
    }
  }

  /** The listener has stopped processing. */
  record Revoked() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRevoked(this);
    }
  }

  /** The owner nodes it held are deleted. */
  record Released() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReleased(this);
    }
  }

  /** The group is read. */
  record GroupRead(GroupView view) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onGroupRead(this);
    }
  }

  /** The offsets of the planned partitions are read. */
  record OffsetsRead() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onOffsetsRead(this);
    }
  }

  /**
   * Every planned claim was tried.
   *
   * @param won owner nodes that bear its name, with their tokens
   * @param lost how many bear another's
   */
  record ClaimsTried(SortedMap<TopicPartition, FencingToken> won, int lost)
      implements ConsumerEvent {

    public ClaimsTried {
      won = Collections.unmodifiableSortedMap(new TreeMap<>(won));
    }

    public static ClaimsTried of(Map<TopicPartition, FencingToken> won, int lost) {
      return new ClaimsTried(new TreeMap<>(won), lost);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onClaimsTried(this);
    }
  }

  /**
   * A claim ended with an exception, and those after it were not tried.
   *
   * @param won owner nodes that bear its name, with their tokens
   */
  record ClaimsBroken(SortedMap<TopicPartition, FencingToken> won, String reason)
      implements ConsumerEvent {

    public ClaimsBroken {
      won = Collections.unmodifiableSortedMap(new TreeMap<>(won));
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onClaimsBroken(this);
    }
  }

  /** What it had won is deleted again. */
  record GivenBack() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onGivenBack(this);
    }
  }

  /** The listener has started processing. */
  record Assigned() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAssigned(this);
    }
  }

  /** An effect other than the registration ended with an exception. */
  record StepFailed(String reason) implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onStepFailed(this);
    }
  }

  /** The back-off is over. */
  record BackoffEnded() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onBackoffEnded(this);
    }
  }

  /** The session is closed. */
  record Left() implements ConsumerEvent {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onLeft(this);
    }
  }

  /** A new event does not compile until its transition is written. */
  interface Visitor<R> {
    R onStarted(Started event);

    R onRegistered(Registered event);

    R onRegistrationFailed(RegistrationFailed event);

    R onRegistrationHeld(RegistrationHeld event);

    R onRegistrationDue(RegistrationDue event);

    R onSubscribed(Subscribed event);

    R onTriggered(Triggered event);

    R onTopicsChanged(TopicsChanged event);

    R onSessionRenewed(SessionRenewed event);

    R onDisconnected(Disconnected event);

    R onSessionLapsed(SessionLapsed event);

    R onCloseRequested(CloseRequested event);

    R onBrokersRead(BrokersRead event);

    R onRegistrationMissing(RegistrationMissing event);

    R onBrokersWatched(BrokersWatched event);

    R onRevoked(Revoked event);

    R onReleased(Released event);

    R onGroupRead(GroupRead event);

    R onOffsetsRead(OffsetsRead event);

    R onClaimsTried(ClaimsTried event);

    R onClaimsBroken(ClaimsBroken event);

    R onGivenBack(GivenBack event);

    R onAssigned(Assigned event);

    R onStepFailed(StepFailed event);

    R onBackoffEnded(BackoffEnded event);

    R onLeft(Left event);
  }
}
