package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.zk.protocol.ConsumerState.Holding;
import io.rebalancer.zk.protocol.ConsumerState.Renewal;
import java.time.Duration;

/** One event met in one state. */
record Transition(ConsumerSettings settings, ConsumerState state)
    implements ConsumerEvent.Visitor<Step> {

  private static final int STRICT_WAITS_PER_SESSION = 10;

  /** A session and a half: ZooKeeper ends sessions at the next tick. */
  private static final int STRICT_WAITS = 15;

  @Override
  public Step onStarted(ConsumerEvent.Started event) {
    return at(Phase.NEW)
        ? Step.to(state.in(Phase.REGISTERING), new ConsumerEffect.Register())
        : Step.to(state);
  }

  /** Registering comes before watching: a member sees no event for itself. */
  @Override
  public Step onRegistered(ConsumerEvent.Registered event) {
    if (at(Phase.REGISTERING)) {
      return state.signals().closing()
          ? rounds().leave(state).after(ConsumerEffect.ReportStart.WELL)
          : Step.to(
              state.in(Phase.SUBSCRIBING),
              ConsumerEffect.ReportStart.WELL,
              new ConsumerEffect.Subscribe());
    }
    if (state.signals().renewal() != Renewal.REGISTERING) {
      return Step.to(state);
    }
    ConsumerState due = state.with(state.signals().renewing(Renewal.DUE));
    return at(Phase.READY) ? rounds().settle(due) : Step.to(due);
  }

  /**
   * After an expiry the member stays out of the group without notice, as in kafka 0.9-1.1; a strict
   * one tries again.
   */
  @Override
  public Step onRegistrationFailed(ConsumerEvent.RegistrationFailed event) {
    if (at(Phase.REGISTERING)) {
      return rounds().refuse(state, event.reason());
    }
    if (state.signals().renewal() != Renewal.REGISTERING) {
      return Step.to(state);
    }
    return settings.strict()
        ? Step.to(state, waitToRegister(event.reason()))
        : Step.to(
            state.with(state.signals().renewing(Renewal.NONE)),
            new ConsumerEffect.ResumeDelivery());
  }

  /**
   * Kafka 0.8 takes the other for its own of a dead session, and waits for ever (KAFKA-992). No
   * watch, no look at whose it is. A strict one waits until a dead one would have gone, and has to
   * be told so when it starts; one that has been a member goes on waiting.
   */
  @Override
  public Step onRegistrationHeld(ConsumerEvent.RegistrationHeld event) {
    if (at(Phase.REGISTERING)) {
      if (state.signals().closing()) {
        return rounds().leave(state).after(ConsumerEffect.ReportStart.WELL);
      }
      if (settings.strict() && state.round().tries() >= STRICT_WAITS) {
        return rounds().refuse(state, event.holder());
      }
      return Step.to(
          state.with(state.round().nextTry()).in(Phase.REGISTRATION_HELD),
          waitToRegister(event.holder()));
    }
    return state.signals().renewal() == Renewal.REGISTERING
        ? Step.to(state, waitToRegister(event.holder()))
        : Step.to(state);
  }

  @Override
  public Step onRegistrationDue(ConsumerEvent.RegistrationDue event) {
    if (at(Phase.REGISTRATION_HELD)) {
      return Step.to(state.in(Phase.REGISTERING), new ConsumerEffect.Register());
    }
    return state.signals().renewal() == Renewal.REGISTERING && !at(Phase.LEAVING) && !at(Phase.GONE)
        ? Step.to(state, new ConsumerEffect.Register())
        : Step.to(state);
  }

  private ConsumerEffect waitToRegister(String reason) {
    Duration wait = settings.registrationWait();
    return new ConsumerEffect.WaitToRegister(
        settings.strict() ? wait.dividedBy(STRICT_WAITS_PER_SESSION) : wait, reason);
  }

  @Override
  public Step onSubscribed(ConsumerEvent.Subscribed event) {
    if (!at(Phase.SUBSCRIBING)) {
      return Step.to(state);
    }
    return state.signals().closing() ? rounds().leave(state) : rounds().begin(state, Trigger.JOIN);
  }

  @Override
  public Step onTriggered(ConsumerEvent.Triggered event) {
    ConsumerState flagged = state.with(state.signals().triggered(event.trigger()));
    return at(Phase.READY) ? rounds().settle(flagged) : Step.to(flagged);
  }

  /** A rebalance of its own, not by way of the flag: the original runs it where it hears of it. */
  @Override
  public Step onTopicsChanged(ConsumerEvent.TopicsChanged event) {
    if (at(Phase.NEW) || at(Phase.LEAVING) || at(Phase.GONE)) {
      return Step.to(state, new ConsumerEffect.ResumeDelivery());
    }
    ConsumerState due = state.with(state.signals().renewing(Renewal.TOPICS_DUE));
    return at(Phase.READY) ? rounds().settle(due) : Step.to(due);
  }

  /** The registry is cleared at once, whatever runs: no deletes, no commit of the old positions. */
  @Override
  public Step onSessionRenewed(ConsumerEvent.SessionRenewed event) {
    if (at(Phase.NEW) || at(Phase.REGISTRATION_HELD) || at(Phase.LEAVING) || at(Phase.GONE)) {
      return Step.to(state, new ConsumerEffect.ResumeDelivery());
    }
    Assignment lost = state.holding().processing();
    Step renewed =
        Step.to(
            state.with(Holding.NOTHING).with(state.signals().renewing(Renewal.REGISTERING)),
            new ConsumerEffect.Register());
    return lost.isEmpty() ? renewed : renewed.after(new ConsumerEffect.Lose(lost));
  }

  @Override
  public Step onDisconnected(ConsumerEvent.Disconnected event) {
    return Step.to(state, new ConsumerEffect.AwaitLapse(event.lapsesAtNanos()));
  }

  /**
   * A strict one stops before another may have its partitions (D5), keeps in mind which nodes it
   * had, and claims them anew when there is a connection, in that session or the next.
   */
  @Override
  public Step onSessionLapsed(ConsumerEvent.SessionLapsed event) {
    Assignment lost = state.holding().processing();
    Step next = new Transition(settings, state.with(state.holding().stopped())).afterLapse();
    return lost.isEmpty() ? next : next.after(new ConsumerEffect.Lose(lost));
  }

  private Step afterLapse() {
    return switch (state.phase()) {
      case REGISTERING -> Step.to(state, new ConsumerEffect.Register());
      case SUBSCRIBING -> Step.to(state, new ConsumerEffect.Subscribe());
      case READY ->
          state.signals().renewal() == Renewal.REGISTERING
              ? Step.to(state, new ConsumerEffect.Register())
              : rounds().begin(state, Trigger.LOST);
      case BACKING_OFF ->
          state.signals().renewal() == Renewal.REGISTERING
              ? Step.to(state, new ConsumerEffect.Register())
              : Step.to(state);
      case READING_BROKERS,
          REVOKING,
          RELEASING,
          READING_GROUP,
          READING_OFFSETS,
          CLAIMING,
          GIVING_BACK,
          ASSIGNING,
          STOPPING ->
          rounds().fail(state, "its ZooKeeper session may have ended");
      case LEAVING -> Step.to(state, new ConsumerEffect.Leave());
      case NEW, REGISTRATION_HELD, GONE -> Step.to(state);
    };
  }

  /** A running attempt goes on to its end; a back-off ends at once (the original sleeps it out). */
  @Override
  public Step onCloseRequested(ConsumerEvent.CloseRequested event) {
    ConsumerState closing = state.with(state.signals().closingDown());
    if (at(Phase.REGISTRATION_HELD)) {
      return rounds().leave(closing).after(ConsumerEffect.ReportStart.WELL);
    }
    return at(Phase.READY) || at(Phase.BACKING_OFF) ? rounds().leave(closing) : Step.to(closing);
  }

  /** No brokers: the attempt is a success that releases nothing and processes on. */
  @Override
  public Step onBrokersRead(ConsumerEvent.BrokersRead event) {
    if (!at(Phase.READING_BROKERS)) {
      return Step.to(state);
    }
    if (event.brokers() == 0) {
      return Step.to(state, new ConsumerEffect.WatchBrokers());
    }
    Assignment processing = state.holding().processing();
    return processing.isEmpty()
        ? rounds().release(state)
        : Step.to(state.in(Phase.REVOKING), new ConsumerEffect.Revoke(processing));
  }

  /**
   * A strict one registers again and leaves it to the next try, as long as its session is no news.
   */
  @Override
  public Step onRegistrationMissing(ConsumerEvent.RegistrationMissing event) {
    if (!at(Phase.READING_BROKERS)) {
      return Step.to(state);
    }
    Step failed = rounds().stopAndFail(state, settings.self() + ": its registration is gone");
    return settings.strict() && state.signals().renewal() == Renewal.NONE
        ? failed.after(new ConsumerEffect.Register())
        : failed;
  }

  @Override
  public Step onBrokersWatched(ConsumerEvent.BrokersWatched event) {
    return at(Phase.READING_BROKERS) ? rounds().succeed(state) : Step.to(state);
  }

  @Override
  public Step onRevoked(ConsumerEvent.Revoked event) {
    ConsumerState stopped = state.with(state.holding().stopped());
    return switch (state.phase()) {
      case REVOKING -> rounds().release(stopped);
      case STOPPING -> rounds().fail(stopped, state.round().failure());
      case LEAVING -> Step.to(stopped, new ConsumerEffect.Leave());
      case NEW,
          REGISTERING,
          REGISTRATION_HELD,
          SUBSCRIBING,
          READY,
          READING_BROKERS,
          RELEASING,
          READING_GROUP,
          READING_OFFSETS,
          CLAIMING,
          GIVING_BACK,
          ASSIGNING,
          BACKING_OFF,
          GONE ->
          Step.to(state);
    };
  }

  @Override
  public Step onReleased(ConsumerEvent.Released event) {
    return at(Phase.RELEASING)
        ? Step.to(
            state.with(Holding.NOTHING).in(Phase.READING_GROUP), new ConsumerEffect.ReadGroup())
        : Step.to(state);
  }

  @Override
  public Step onGroupRead(ConsumerEvent.GroupRead event) {
    if (!at(Phase.READING_GROUP)) {
      return Step.to(state);
    }
    RebalancePlan plan;
    try {
      plan = settings.planner().plan(settings.self(), event.view());
    } catch (IllegalArgumentException e) {
      return rounds().fail(state, String.valueOf(e.getMessage()));
    }
    return Step.to(
        state.with(state.round().planning(plan)).in(Phase.READING_OFFSETS),
        new ConsumerEffect.ReadOffsets(plan.partitions()));
  }

  /** The one place inside an attempt where the original looks whether it is shutting down. */
  @Override
  public Step onOffsetsRead(ConsumerEvent.OffsetsRead event) {
    if (!at(Phase.READING_OFFSETS)) {
      return Step.to(state);
    }
    return state.signals().closing()
        ? rounds().fail(state, "closing")
        : Step.to(state.in(Phase.CLAIMING), new ConsumerEffect.Claim(state.round().plan()));
  }

  /** All or nothing: one lost claim costs the member every partition it won (D25). */
  @Override
  public Step onClaimsTried(ConsumerEvent.ClaimsTried event) {
    if (!at(Phase.CLAIMING)) {
      return Step.to(state);
    }
    if (event.lost() > 0) {
      return Step.to(
          state
              .with(settings.strict() ? Holding.of(event.won()).stopped() : Holding.NOTHING)
              .with(state.round().failing(event.lost() + " claims lost"))
              .in(Phase.GIVING_BACK),
          new ConsumerEffect.GiveBack(event.won()));
    }
    return Step.to(
        state.with(Holding.of(event.won())).in(Phase.ASSIGNING),
        new ConsumerEffect.Assign(event.won()));
  }

  /**
   * The original leaves what was created so far, and knows no more of it (D9). A strict one gives
   * it back; should that fail too, it remembers it for its next release.
   */
  @Override
  public Step onClaimsBroken(ConsumerEvent.ClaimsBroken event) {
    if (!at(Phase.CLAIMING)) {
      return Step.to(state);
    }
    if (!settings.strict() || event.won().isEmpty()) {
      return rounds().fail(state, event.reason());
    }
    return Step.to(
        state
            .with(Holding.of(event.won()).stopped())
            .with(state.round().failing(event.reason()))
            .in(Phase.GIVING_BACK),
        new ConsumerEffect.GiveBack(event.won()));
  }

  @Override
  public Step onGivenBack(ConsumerEvent.GivenBack event) {
    return at(Phase.GIVING_BACK)
        ? rounds().fail(state.with(Holding.NOTHING), state.round().failure())
        : Step.to(state);
  }

  @Override
  public Step onAssigned(ConsumerEvent.Assigned event) {
    return at(Phase.ASSIGNING) ? rounds().succeed(state) : Step.to(state);
  }

  /** Whatever was created or deleted so far stays so. */
  @Override
  public Step onStepFailed(ConsumerEvent.StepFailed event) {
    return switch (state.phase()) {
      case SUBSCRIBING, LEAVING -> Step.to(state.in(Phase.LEAVING), new ConsumerEffect.Leave());
      case NEW, REGISTERING, REGISTRATION_HELD, READY, BACKING_OFF, GONE -> Step.to(state);
      case REVOKING, STOPPING -> rounds().fail(state, event.reason());
      case READING_BROKERS,
          RELEASING,
          READING_GROUP,
          READING_OFFSETS,
          CLAIMING,
          GIVING_BACK,
          ASSIGNING ->
          rounds().stopAndFail(state, event.reason());
    };
  }

  @Override
  public Step onBackoffEnded(ConsumerEvent.BackoffEnded event) {
    if (!at(Phase.BACKING_OFF)) {
      return Step.to(state);
    }
    if (state.round().tries() < settings.maxTries()) {
      return rounds().attempt(state, Trigger.RETRY);
    }
    return settings.strict()
        ? rounds().goOn(state)
        : rounds().settle(state).after(new ConsumerEffect.ReportGaveUp());
  }

  @Override
  public Step onLeft(ConsumerEvent.Left event) {
    return Step.to(state.in(Phase.GONE));
  }

  private boolean at(Phase phase) {
    return state.phase() == phase;
  }

  private Rounds rounds() {
    return new Rounds(settings);
  }
}
