package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.TopicPartition;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Everything one consumer knows. Immutable. */
public record ConsumerState(Phase phase, Holding holding, Round round, Signals signals) {

  public static ConsumerState initial() {
    return new ConsumerState(Phase.NEW, Holding.NOTHING, Round.NONE, Signals.NONE);
  }

  /**
   * What the consumer believes.
   *
   * @param held the owner nodes it is going to delete at its next release (the original's topic
   *     registry)
   * @param processing what its listener was told to process and has not been told to stop
   */
  public record Holding(SortedMap<TopicPartition, FencingToken> held, Assignment processing) {

    static final Holding NOTHING = new Holding(Collections.emptySortedMap(), Assignment.empty());

    public Holding {
      held = Collections.unmodifiableSortedMap(new TreeMap<>(held));
    }

    static Holding of(SortedMap<TopicPartition, FencingToken> held) {
      return new Holding(held, Assignment.ofPartitions(held.keySet()));
    }

    Holding stopped() {
      return new Holding(held, Assignment.empty());
    }
  }

  /**
   * The rebalance that runs or ran last: up to {@code maxTries} attempts.
   *
   * @param attempts all attempts of this consumer so far
   * @param tries the attempts of this rebalance so far; before the first one, how often it met
   *     another's registration under its id
   * @param cause what started this rebalance
   * @param before what was processed when the attempt began
   * @param plan what the attempt is claiming
   * @param failure why the attempt failed; empty while it has not
   */
  public record Round(
      int attempts,
      int tries,
      Trigger cause,
      Assignment before,
      RebalancePlan plan,
      String failure) {

    static final Round NONE =
        new Round(0, 0, Trigger.JOIN, Assignment.empty(), RebalancePlan.nothing(), "");

    Round causedBy(Trigger trigger) {
      return new Round(attempts, 0, trigger, before, plan, failure);
    }

    Round nextAttempt(Assignment processing) {
      return new Round(attempts + 1, tries + 1, cause, processing, RebalancePlan.nothing(), "");
    }

    Round nextTry() {
      return new Round(attempts, tries + 1, cause, before, plan, failure);
    }

    Round planning(RebalancePlan next) {
      return new Round(attempts, tries, cause, before, next, failure);
    }

    Round failing(String reason) {
      return new Round(attempts, tries, cause, before, plan, reason);
    }
  }

  /** What holds up further deliveries: a new ZooKeeper session, or other topics. */
  public enum Renewal {
    /** Nothing to do. */
    NONE,
    /** It is registering again. */
    REGISTERING,
    /** It has registered again; the rebalance waits for the one that runs. */
    DUE,
    /** Other topics match its wildcard; the rebalance waits for the one that runs. */
    TOPICS_DUE
  }

  /**
   * What has come from outside and waits.
   *
   * @param pending the trigger flag with the first reason that set it: a flag, not a counter, so
   *     that all triggers during a rebalance become one further rebalance (KAFKA-265)
   * @param changed something came since the running attempt began
   * @param closing the application wants it to leave
   */
  public record Signals(
      @Nullable Trigger pending, boolean changed, Renewal renewal, boolean closing) {

    static final Signals NONE = new Signals(null, false, Renewal.NONE, false);

    Signals triggered(Trigger trigger) {
      return new Signals(pending == null ? trigger : pending, true, renewal, closing);
    }

    Signals taken() {
      return new Signals(null, changed, renewal, closing);
    }

    Signals unchanged() {
      return new Signals(pending, false, renewal, closing);
    }

    Signals renewing(Renewal next) {
      return new Signals(pending, changed || next != Renewal.NONE, next, closing);
    }

    Signals closingDown() {
      return new Signals(pending, changed, renewal, true);
    }
  }

  ConsumerState in(Phase next) {
    return new ConsumerState(next, holding, round, signals);
  }

  ConsumerState with(Holding next) {
    return new ConsumerState(phase, next, round, signals);
  }

  ConsumerState with(Round next) {
    return new ConsumerState(phase, holding, next, signals);
  }

  ConsumerState with(Signals next) {
    return new ConsumerState(phase, holding, round, next);
  }
}
