package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the runtime does next, in list order. An effect that says "answered by" yields that event,
 * or {@link ConsumerEvent.StepFailed}, when it has been carried out.
 */
public sealed interface ConsumerEffect {

  <R> R accept(Visitor<R> visitor);

  /** Write the registration; answered by Registered, RegistrationHeld or RegistrationFailed. */
  record Register() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRegister(this);
    }
  }

  /** Start the wait for another's registration to go; its end is RegistrationDue. */
  record WaitToRegister(Duration duration, String reason) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onWaitToRegister(this);
    }
  }

  /** Set the first watches; answered by Subscribed. */
  record Subscribe() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onSubscribe(this);
    }
  }

  /** Watch which topics there are from now on; no answer. */
  record FollowTopics() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onFollowTopics(this);
    }
  }

  /** Read the brokers and the own registration; answered by BrokersRead or RegistrationMissing. */
  record ReadBrokers() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReadBrokers(this);
    }
  }

  /** Watch the brokers from now on; answered by BrokersWatched. */
  record WatchBrokers() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onWatchBrokers(this);
    }
  }

  /** Have the listener stop processing; answered by Revoked. */
  record Revoke(Assignment partitions) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRevoke(this);
    }
  }

  /** Delete owner nodes, whoever owns them by now; answered by Released. */
  record Release(SortedMap<TopicPartition, FencingToken> held) implements ConsumerEffect {

    public Release {
      held = Collections.unmodifiableSortedMap(new TreeMap<>(held));
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onRelease(this);
    }
  }

  /** Read registrations and topics; answered by GroupRead. */
  record ReadGroup() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReadGroup(this);
    }
  }

  /** Read the offsets of these partitions; answered by OffsetsRead. */
  record ReadOffsets(Assignment partitions) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReadOffsets(this);
    }
  }

  /** Try to create every planned owner node; answered by ClaimsTried or ClaimsBroken. */
  record Claim(RebalancePlan plan) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onClaim(this);
    }
  }

  /** Delete the owner nodes just won; answered by GivenBack. */
  record GiveBack(SortedMap<TopicPartition, FencingToken> won) implements ConsumerEffect {

    public GiveBack {
      won = Collections.unmodifiableSortedMap(new TreeMap<>(won));
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onGiveBack(this);
    }
  }

  /** Have the listener start processing; answered by Assigned. */
  record Assign(SortedMap<TopicPartition, FencingToken> held) implements ConsumerEffect {

    public Assign {
      held = Collections.unmodifiableSortedMap(new TreeMap<>(held));
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAssign(this);
    }
  }

  /** Tell the listener that these were taken away; no answer. */
  record Lose(Assignment partitions) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onLose(this);
    }
  }

  /** Wait for the time when the session may have ended; if it has come, that is SessionLapsed. */
  record AwaitLapse(long atNanos) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onAwaitLapse(this);
    }
  }

  /** Start the back-off; its end is BackoffEnded. */
  record BackOff(Duration duration) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onBackOff(this);
    }
  }

  /** Close the session; answered by Left. */
  record Leave() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onLeave(this);
    }
  }

  /** What held up deliveries is dealt with: further watch events may be delivered. No answer. */
  record ResumeDelivery() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onResumeDelivery(this);
    }
  }

  /** The start is over, well or not. No answer. */
  record ReportStart(String failure) implements ConsumerEffect {

    static final ReportStart WELL = new ReportStart("");

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReportStart(this);
    }
  }

  /** An attempt begins. No answer. */
  record ReportAttempt(int attempt, Trigger trigger) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReportAttempt(this);
    }
  }

  /**
   * An attempt ended. No answer.
   *
   * @param failure why it failed; empty when it did not
   */
  record ReportOutcome(
      int attempt, String failure, boolean superseded, Assignment before, Assignment after)
      implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReportOutcome(this);
    }
  }

  /** All tries are used up, and it goes on. No answer. */
  record ReportOverdue(String failure) implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReportOverdue(this);
    }
  }

  /** All tries are used up. No answer. */
  record ReportGaveUp() implements ConsumerEffect {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.onReportGaveUp(this);
    }
  }

  /** A new effect does not compile until the runtime can carry it out. */
  interface Visitor<R> {
    R onRegister(Register effect);

    R onWaitToRegister(WaitToRegister effect);

    R onSubscribe(Subscribe effect);

    R onFollowTopics(FollowTopics effect);

    R onReadBrokers(ReadBrokers effect);

    R onWatchBrokers(WatchBrokers effect);

    R onRevoke(Revoke effect);

    R onRelease(Release effect);

    R onReadGroup(ReadGroup effect);

    R onReadOffsets(ReadOffsets effect);

    R onClaim(Claim effect);

    R onGiveBack(GiveBack effect);

    R onAssign(Assign effect);

    R onLose(Lose effect);

    R onAwaitLapse(AwaitLapse effect);

    R onBackOff(BackOff effect);

    R onLeave(Leave effect);

    R onResumeDelivery(ResumeDelivery effect);

    R onReportStart(ReportStart effect);

    R onReportAttempt(ReportAttempt effect);

    R onReportOutcome(ReportOutcome effect);

    R onReportOverdue(ReportOverdue effect);

    R onReportGaveUp(ReportGaveUp effect);
  }
}
