package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.ASSIGNING;
import static io.rebalancer.coordinator.client.MemberPhase.AWAY;
import static io.rebalancer.coordinator.client.MemberPhase.CONFIRMING;
import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.LEFT;
import static io.rebalancer.coordinator.client.MemberPhase.LISTING;
import static io.rebalancer.coordinator.client.MemberPhase.REVOKING;
import static io.rebalancer.coordinator.client.MemberPhase.SHEDDING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.STARTING;
import static io.rebalancer.coordinator.client.MemberPhase.SYNCING;
import static io.rebalancer.coordinator.client.MemberPhase.WAITING;
import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/** What each event does to a {@link MemberState}, phase by phase. */
final class MemberTransitions implements MemberEvent.Visitor {

  private final MemberState state;

  MemberTransitions(MemberState state) {
    this.state = state;
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
    } else if (heartbeating()) {
      state.heartbeat(); // Tells at once whether the generation still stands.
      revokeToLeave();
      if (state.phase == LISTING) {
        state.list();
      } else {
        state.listIfDue();
      }
    }
  }

  @Override
  public void onDisconnected(MemberEvent.Disconnected event) {
    state.connected = false;
    if (Reaction.to(event.error()) == Reaction.END) {
      fail(event.error(), event.reason());
      return;
    }
    state.emit(new MemberEffect.CancelTimer(MemberTimer.HEARTBEAT));
    switch (state.phase) {
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> {
        state.abortAttempt();
        if (state.leaveOnceNamed) {
          state.end(null);
        } else {
          state.awaitNextRound("retry");
          state.pause();
        }
      }
      case WAITING, LISTING, REVOKING, SHEDDING, STARTING, STABLE -> state.pause();
      case LEFT -> state.end(null);
      case LEAVING -> revokeToLeave(); // Goodbye is said on a new connection.
      case AWAY, ENDED -> {}
    }
  }

  @Override
  public void onTimerFired(MemberEvent.TimerFired event) {
    switch (event.timer()) {
      case RETRY -> retry();
      case HEARTBEAT -> {
        if (heartbeating()) {
          state.heartbeat();
        } else if (parked()) {
          state.heartbeatBeside();
        }
      }
      case LEASE -> leaseEnded();
      case METADATA -> state.listingDue();
      case DELAY -> delayEnded();
      case LISTENER -> {
        if (state.phase == LEAVING && state.callsOut > 0) {
          state.forfeit(); // A close is held up for no longer.
          state.leave();
        } else {
          tooSlow("its listener has not returned for max.poll.interval.ms");
        }
      }
      case POLL -> {
        state.pollOverdue = true;
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
          state.goAway(why);
      case LEAVING, LEFT, AWAY, ENDED -> {}
    }
  }

  @Override
  public void onTopicsListed(MemberEvent.TopicsListed event) {
    boolean asked = state.phase == LISTING || state.phase == STABLE;
    if (asked && event.attempt() == state.attempt) {
      state.listed(event.names());
    }
  }

  @Override
  public void onPolled(MemberEvent.Polled event) {
    state.pollOverdue = false;
    state.comeBackWhenReady();
  }

  private void retry() {
    state.retryArmed = false;
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
      state.pause();
    }
  }

  @Override
  public void onJoined(MemberEvent.Joined event) {
    if (state.phase != JOINING || event.attempt() != state.attempt) {
      return;
    }
    if (event.member() != null) {
      state.member = event.member();
    }
    if (state.leaveOnceNamed) {
      state.abortAttempt();
      state.leave();
      return;
    }
    switch (Reaction.to(event.error())) {
      case GO_ON -> joined(event);
      case TAKE_ID -> state.sendJoin();
      default -> refused(event.error());
    }
  }

  private void joined(MemberEvent.Joined event) {
    state.joined(event.generation(), event.part() != null);
    state.leads = event.leads();
    if (event.part() != null) {
      take(event.part().partitions(), event.part().sentAtNanos(), event.part().late());
      return;
    }
    if (event.plan() == null) {
      state.sync(Map.of(), requireNonNull(state.member));
      return;
    }
    state.plan = event.plan();
    state.phase = ASSIGNING;
    state.emit(new MemberEffect.AskTopics(state.attempt, state.plan.topics()));
  }

  @Override
  public void onTopicsKnown(MemberEvent.TopicsKnown event) {
    if (state.phase == ASSIGNING && event.attempt() == state.attempt) {
      state.sync(requireNonNull(state.plan).shares(event.topics()), requireNonNull(state.member));
    }
  }

  @Override
  public void onSynced(MemberEvent.Synced event) {
    if (state.phase != SYNCING || event.attempt() != state.attempt) {
      return;
    }
    if (event.error() != Errors.NONE) {
      refused(event.error());
      return;
    }
    if (state.leads && !event.delay().isZero()) {
      state.emit(new MemberEffect.ArmTimer(MemberTimer.DELAY, event.delay()));
    }
    take(event.assignment(), event.sentAtNanos(), event.late());
  }

  private void take(Assignment given, long sentAtNanos, boolean late) {
    if (late) {
      state.phase = CONFIRMING;
      state.given = given;
      state.heartbeat();
    } else {
      state.own(given, sentAtNanos);
    }
  }

  /** Join, Sync or its confirmation was answered with an error: the round is over. */
  private void refused(Errors error) {
    boolean joining = state.phase == JOINING;
    state.abortAttempt();
    switch (Reaction.to(error)) {
      case REJOIN -> {
        state.awaitNextRound("told");
        if (!joining) {
          state.beginWhenReady();
          return;
        }
      }
      case RESET -> {
        lose();
        state.awaitNextRound("lost");
      }
      case FORGET -> {
        lose();
        forget();
        state.awaitNextRound("lost");
      }
      case SEEK -> {
        state.awaitNextRound("retry");
        state.drop();
      }
      case END -> {
        fail(error, error.message());
        return;
      }
      case GO_ON, TAKE_ID, RETRY -> state.awaitNextRound("retry");
    }
    state.pause();
  }

  private void lose() {
    if (!state.owned.isEmpty()) {
      state.lose();
    }
    state.resetGeneration();
  }

  @Override
  public void onTold(MemberEvent.Told event) {
    if (event.generation() != state.generation) {
      return;
    }
    if (state.phase == CONFIRMING) {
      if (event.error() == Errors.NONE) {
        state.own(state.given, event.sentAtNanos());
      } else {
        refused(event.error());
      }
    } else if (heartbeating()) {
      told(event);
    } else if (parked()) {
      toldBeside(event);
    }
  }

  /**
   * The coordinator counts this member as alive, whatever its Join or Sync waits for. What else it
   * says the answer to that will say, too.
   */
  private void toldBeside(MemberEvent.Told event) {
    Reaction reaction = Reaction.to(event.error());
    boolean alive = reaction == Reaction.GO_ON || reaction == Reaction.REJOIN;
    if (alive && !state.owned.isEmpty()) {
      state.emit(new MemberEffect.RenewLease(event.sentAtNanos()));
    }
  }

  private boolean parked() {
    return state.phase == JOINING || state.phase == ASSIGNING || state.phase == SYNCING;
  }

  private void told(MemberEvent.Told event) {
    switch (Reaction.to(event.error())) {
      case GO_ON -> {
        state.emit(new MemberEffect.RenewLease(event.sentAtNanos()));
        state.succeeded();
      }
      case REJOIN -> {
        state.emit(new MemberEffect.RenewLease(event.sentAtNanos()));
        rejoin();
      }
      case RESET -> membershipEnded(false);
      case FORGET -> membershipEnded(true);
      case SEEK -> {
        state.drop();
        if (state.phase != LEAVING) {
          state.pause();
        }
      }
      case END -> fail(event.error(), event.error().message());
      case TAKE_ID, RETRY -> {} // The next heartbeat asks again.
    }
  }

  private boolean heartbeating() {
    return state.phase == SHEDDING
        || state.phase == STARTING
        || state.phase == STABLE
        || state.phase == LISTING
        || state.phase == REVOKING
        || state.phase == LEAVING;
  }

  private void rejoin() {
    if (state.phase == STABLE) {
      state.begin("told");
    } else if (state.phase == SHEDDING || state.phase == STARTING) {
      state.trigger = "told";
    }
  }

  private void membershipEnded(boolean idToo) {
    boolean anew = state.phase == STABLE || state.phase == SHEDDING;
    if (anew) {
      state.abortAttempt();
      state.openAttempt("lost");
    } else if (state.phase == STARTING) {
      state.trigger = "lost";
    }
    state.lose();
    state.resetGeneration();
    if (idToo) {
      forget();
    }
    if (anew) {
      state.prepare();
    }
  }

  private void forget() {
    state.member = null;
    state.resetGeneration();
  }

  @Override
  public void onListenerReturned(MemberEvent.ListenerReturned event) {
    state.callsOut--;
    state.callFailed |= event.failed();
    if (state.callsOut > 0) {
      return;
    }
    boolean failed = state.callFailed;
    state.callFailed = false;
    switch (state.phase) {
      case SHEDDING -> shed(failed);
      case STARTING -> started(failed);
      case REVOKING -> revoked(failed);
      case LEAVING -> state.leave();
      case WAITING -> state.beginWhenReady();
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> {} // Lost by the lease; the round goes on.
      case AWAY -> state.comeBackWhenReady();
      case LISTING, STABLE, LEFT, ENDED -> {} // No call is out in these, or nobody waits for it.
    }
  }

  private void shed(boolean failed) {
    state.shed();
    if (failed) {
      state.abortAttempt();
      state.awaitNextRound("retry");
      state.pauseOnce();
    } else {
      state.startShed();
    }
  }

  private void started(boolean failed) {
    if (failed) {
      state.giveBack();
      state.abortAttempt();
      state.awaitNextRound("retry");
      state.pauseOnce();
      return;
    }
    state.phase = STABLE;
    state.claimStarted();
    state.succeeded();
    String next = state.trigger;
    state.endAttempt(false, next != null);
    if (next != null) {
      state.begin(next);
    } else {
      state.listIfDue();
    }
  }

  private void revoked(boolean failed) {
    if (!failed) {
      state.join();
      return;
    }
    state.revokeFailed();
    state.abortAttempt();
    state.awaitNextRound("retry");
    state.pauseOnce();
  }

  @Override
  public void onCloseRequested(MemberEvent.CloseRequested event) {
    switch (state.phase) {
      case WAITING -> revokeAll();
      case LISTING -> {
        state.abortAttempt();
        revokeAll();
      }
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> {
        if (state.member == null) {
          state.leaveOnceNamed = true; // An id nobody uses would hold up the group's next round.
          return;
        }
        state.abortAttempt();
        if (state.owned.isEmpty()) {
          state.connectionBusy = true;
        } else {
          state.drop(); // The listener's commits would wait behind the Join.
          state.emit(new MemberEffect.Seek());
          state.revokeOnceConnected = true;
        }
      }
      case REVOKING -> state.abortAttempt();
      case SHEDDING -> {
        state.abortAttempt();
        Assignment kept = state.owned.and(state.given);
        if (!kept.isEmpty()) {
          state.call(ListenerCall.REVOKED, kept);
        }
      }
      case STARTING, STABLE -> {
        state.endAttempt(false, state.trigger != null);
        revokeAll();
      }
      case AWAY -> {
        if (state.goodbyeOut) {
          state.phase = LEFT;
        } else {
          state.end(null);
        }
        return;
      }
      case LEAVING, LEFT, ENDED -> {
        return;
      }
    }
    state.emit(new MemberEffect.CancelTimer(MemberTimer.RETRY));
    state.phase = LEAVING;
    if (state.callsOut == 0 && !state.revokeOnceConnected) {
      state.leave();
    }
  }

  private void revokeAll() {
    if (!state.owned.isEmpty()) {
      state.call(ListenerCall.REVOKED, state.owned);
    }
  }

  private void revokeToLeave() {
    if (state.revokeOnceConnected) {
      state.revokeOnceConnected = false;
      revokeAll();
      if (state.callsOut == 0) {
        state.leave();
      }
    }
  }

  @Override
  public void onCrashRequested(MemberEvent.CrashRequested event) {
    state.forfeit();
    state.emit(new MemberEffect.Disconnect());
    state.abortAttempt();
    state.end(null);
  }

  @Override
  public void onLeaveDone(MemberEvent.LeaveDone event) {
    if (state.phase == LEFT) {
      state.end(null);
    } else if (state.phase == AWAY) {
      state.goodbyeOut = false;
      state.emit(new MemberEffect.Disconnect());
      state.comeBackWhenReady();
    }
  }

  private void fail(Errors error, String reason) {
    state.lose();
    state.abortAttempt();
    String more =
        error == Errors.FENCED_INSTANCE_ID
            ? "another member has joined with its group.instance.id and has its place now"
            : reason;
    state.end(error.name() + " (" + error.code() + "): " + more);
  }
}
