package io.rebalancer.zk.protocol;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.zk.protocol.ConsumerState.Renewal;

/** How rebalances and their attempts begin and end; shared by the transitions. */
record Rounds(ConsumerSettings settings) {

  /** The flag is taken and cleared before the rebalance that it asks for. */
  Step begin(ConsumerState state, Trigger cause) {
    return attempt(state.with(state.round().causedBy(cause)), cause);
  }

  Step attempt(ConsumerState state, Trigger trigger) {
    ConsumerState begun =
        state
            .with(state.round().nextAttempt(state.holding().processing()))
            .with(state.signals().unchanged())
            .in(Phase.READING_BROKERS);
    return Step.to(
        begun,
        new ConsumerEffect.ReportAttempt(begun.round().attempts(), trigger),
        new ConsumerEffect.ReadBrokers());
  }

  /** Everything it holds, also what it is going to claim again. */
  Step release(ConsumerState state) {
    return Step.to(state.in(Phase.RELEASING), new ConsumerEffect.Release(state.holding().held()));
  }

  Step succeed(ConsumerState state) {
    Step next = settle(state);
    return followsTopicsFrom(state)
        ? next.after(outcome(state, ""), new ConsumerEffect.FollowTopics())
        : next.after(outcome(state, ""));
  }

  /**
   * The original makes its topic watcher when the first rebalance has ended well, and never
   * afterwards. A strict one asks each time, which does nothing once there is one.
   */
  private boolean followsTopicsFrom(ConsumerState state) {
    return settings.wildcard()
        && (state.round().cause() == Trigger.JOIN || settings.strict())
        && !state.signals().closing();
  }

  /** The original stops its fetchers after every failed attempt, and keeps its owner nodes. */
  Step stopAndFail(ConsumerState state, String reason) {
    Assignment processing = state.holding().processing();
    return processing.isEmpty()
        ? fail(state, reason)
        : Step.to(
            state.with(state.round().failing(reason)).in(Phase.STOPPING),
            new ConsumerEffect.Revoke(processing));
  }

  Step fail(ConsumerState state, String reason) {
    ConsumerState failed = state.with(state.round().failing(reason));
    Step next =
        state.signals().closing()
            ? leave(failed)
            : Step.to(failed.in(Phase.BACKING_OFF), new ConsumerEffect.BackOff(settings.backoff()));
    return next.after(outcome(failed, reason));
  }

  /** After the last try of a strict consumer: what waits goes first, else it begins anew. */
  Step goOn(ConsumerState state) {
    Step settled = settle(state);
    Step next =
        settled.state().phase() == Phase.READY
            ? begin(settled.state(), Trigger.RETRY)
                .after(settled.effects().toArray(ConsumerEffect[]::new))
            : settled;
    return next.after(new ConsumerEffect.ReportOverdue(state.round().failure()));
  }

  /**
   * After a rebalance: leave, deal with what holds up deliveries, run once more if asked to, or
   * wait.
   */
  Step settle(ConsumerState state) {
    if (state.signals().closing()) {
      return leave(state);
    }
    if (state.round().cause() == Trigger.SESSION || state.round().cause() == Trigger.TOPICS) {
      return settle(state.with(state.round().causedBy(Trigger.JOIN)))
          .after(new ConsumerEffect.ResumeDelivery());
    }
    if (state.signals().renewal() == Renewal.DUE) {
      return begin(state.with(state.signals().renewing(Renewal.NONE)), Trigger.SESSION);
    }
    if (state.signals().renewal() == Renewal.TOPICS_DUE) {
      return begin(state.with(state.signals().renewing(Renewal.NONE)), Trigger.TOPICS);
    }
    Trigger pending = state.signals().pending();
    return pending != null
        ? begin(state.with(state.signals().taken()), pending)
        : Step.to(state.in(Phase.READY));
  }

  /** The member ends before it has started. */
  Step refuse(ConsumerState state, String reason) {
    return Step.to(
        state.in(Phase.LEAVING),
        new ConsumerEffect.ReportStart(reason),
        new ConsumerEffect.Leave());
  }

  /** Owner nodes are not deleted one by one: they go with the session. */
  Step leave(ConsumerState state) {
    ConsumerState leaving = state.in(Phase.LEAVING);
    Assignment processing = state.holding().processing();
    return processing.isEmpty()
        ? Step.to(leaving, new ConsumerEffect.Leave())
        : Step.to(leaving, new ConsumerEffect.Revoke(processing));
  }

  private static ConsumerEffect outcome(ConsumerState state, String failure) {
    return new ConsumerEffect.ReportOutcome(
        state.round().attempts(),
        failure,
        state.signals().changed(),
        state.round().before(),
        state.holding().processing());
  }
}
