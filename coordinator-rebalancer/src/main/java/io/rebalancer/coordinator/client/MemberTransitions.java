package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.LISTING;
import static io.rebalancer.coordinator.client.MemberPhase.SHEDDING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.STARTING;
import static io.rebalancer.coordinator.client.MemberPhase.WAITING;

/**
 * What each event does to a {@link MemberState}: here what comes of connection and timers, in the
 * classes beside it what comes of answers, of the listener and of a close.
 */
final class MemberTransitions implements MemberEvent.Visitor {

  private final MemberState state;
  private final MemberClosing closing;
  private final RoundAnswers rounds;
  private final HeartbeatAnswers heartbeats;
  private final ListenerReturns returns;

  MemberTransitions(MemberState state, MemberRules rules) {
    this.state = state;
    this.closing = new MemberClosing(state, rules);
    this.rounds = new RoundAnswers(state, closing);
    this.heartbeats = new HeartbeatAnswers(state, rounds, closing);
    this.returns = new ListenerReturns(state, closing);
  }

  @Override
  public void onStarted(MemberEvent.Started event) {
    state.emit(new MemberEffect.Seek());
  }

  @Override
  public void onConnected(MemberEvent.Connected event) {
    state.connected = true;
    if (state.phase == WAITING) {
      state.beginWhenReady();
    } else if (state.phase.heartbeats()) {
      state.heartbeat(); // Tells at once whether the generation still stands.
      closing.revokeToLeave();
      if (state.phase == LISTING) {
        state.topics.list();
      } else {
        state.topics.listIfDue();
      }
    }
  }

  @Override
  public void onDisconnected(MemberEvent.Disconnected event) {
    state.connected = false;
    if (Reaction.to(event.error()) == Reaction.END) {
      closing.fail(event.error(), event.reason());
      return;
    }
    state.emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    switch (state.phase) {
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> {
        state.abortAttempt();
        if (closing.leaveOnceNamed) {
          closing.end(null);
        } else {
          state.awaitNextRound("retry");
          state.retries.pause();
        }
      }
      case WAITING, LISTING, REVOKING, SHEDDING, STARTING, STABLE -> state.retries.pause();
      case LEFT -> closing.end(null);
      case LEAVING -> closing.revokeToLeave(); // Goodbye is said on a new connection.
      case AWAY, ENDED -> {}
    }
  }

  @Override
  public void onTimerFired(MemberEvent.TimerFired event) {
    switch (event.timer()) {
      case RETRY -> retry();
      case HEARTBEAT -> {
        if (state.phase.heartbeats()) {
          state.heartbeat();
        } else if (state.phase.waitsForAnswer()) {
          state.heartbeatBeside();
        }
      }
      case LEASE -> leaseEnded();
      case METADATA -> state.topics.due();
      case DELAY -> delayEnded();
      case LISTENER -> {
        if (state.phase == LEAVING && state.callsOut > 0) {
          state.holdings.forfeit(); // A close is held up for no longer.
          closing.leave();
        } else {
          tooSlow("its listener has not returned for max.poll.interval.ms");
        }
      }
      case POLL -> {
        closing.pollOverdue = true;
        tooSlow("the application has not called keepAlive() for max.poll.interval.ms");
      }
    }
  }

  /** In any other phase a round is on or comes anyway. */
  private void delayEnded() {
    if (state.phase == STABLE) {
      state.begin("delay");
    } else if (state.phase == SHEDDING || state.phase == STARTING) {
      state.trigger = "delay";
    }
  }

  private void tooSlow(String why) {
    switch (state.phase) {
      case WAITING,
          LISTING,
          REVOKING,
          JOINING,
          ASSIGNING,
          SYNCING,
          CONFIRMING,
          SHEDDING,
          STARTING,
          STABLE ->
          closing.goAway(why);
      case LEAVING, LEFT, AWAY, ENDED -> {}
    }
  }

  @Override
  public void onTopicsListed(MemberEvent.TopicsListed event) {
    boolean asked = state.phase == LISTING || state.phase == STABLE;
    if (asked && event.attempt() == state.attempt) {
      state.topics.listed(event.names());
    }
  }

  @Override
  public void onPolled(MemberEvent.Polled event) {
    closing.pollOverdue = false;
    closing.comeBackWhenReady();
  }

  private void retry() {
    state.retries.armed = false;
    if (!state.connected) {
      state.emit(new MemberEffect.Seek());
    } else {
      state.beginWhenReady();
    }
  }

  /** Without an answer for so long the others may be given what this member owns. */
  private void leaseEnded() {
    state.lose();
    if (state.phase.inRound()) {
      return; // It was given or will be: all of it anew.
    }
    state.resetGeneration();
    if (state.phase == LEAVING) {
      return;
    }
    state.abortAttempt();
    state.awaitNextRound("lost");
    if (state.connected) {
      state.drop();
      state.retries.pause();
    }
  }

  @Override
  public void onJoined(MemberEvent.Joined event) {
    rounds.onJoined(event);
  }

  @Override
  public void onTopicsKnown(MemberEvent.TopicsKnown event) {
    rounds.onTopicsKnown(event);
  }

  @Override
  public void onSynced(MemberEvent.Synced event) {
    rounds.onSynced(event);
  }

  @Override
  public void onTold(MemberEvent.Told event) {
    heartbeats.onTold(event);
  }

  @Override
  public void onListenerReturned(MemberEvent.ListenerReturned event) {
    returns.onListenerReturned(event);
  }

  @Override
  public void onCloseRequested(MemberEvent.CloseRequested event) {
    closing.onCloseRequested(event);
  }

  @Override
  public void onCrashRequested(MemberEvent.CrashRequested event) {
    closing.onCrashRequested(event);
  }

  @Override
  public void onLeaveDone(MemberEvent.LeaveDone event) {
    closing.onLeaveDone(event);
  }
}
