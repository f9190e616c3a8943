package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.AWAY;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.LEFT;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link MemberState} goes: closed, crashed, refused for good, or away for as long as the
 * application or its listener is too slow.
 */
final class MemberClosing {

  private final MemberState state;
  private final MemberRules rules;

  /** Close was asked for while the first Join was out, whose answer names the member. */
  boolean leaveOnceNamed;

  /** The application has begun to call keepAlive() and is late with it. */
  boolean pollOverdue;

  /** Close was asked for while a Join or Sync was out. */
  private boolean connectionBusy;

  /** In LEAVING: the listener is called when there is a connection on which it can commit. */
  private boolean revokeOnceConnected;

  /** In AWAY: Leave is out. */
  private boolean goodbyeOut;

  MemberClosing(MemberState state, MemberRules rules) {
    this.state = state;
    this.rules = rules;
  }

  void onCloseRequested(MemberEvent.CloseRequested event) {
    switch (state.phase) {
      case WAITING -> revokeAll();
      case LISTING -> {
        state.abortAttempt();
        revokeAll();
      }
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> {
        if (state.member == null) {
          leaveOnceNamed = true; // An id nobody uses would hold up the group's next round.
          return;
        }
        state.abortAttempt();
        if (state.owned().isEmpty()) {
          connectionBusy = true;
        } else {
          state.drop(); // The listener's commits would wait behind the Join.
          state.emit(new MemberEffect.Seek());
          revokeOnceConnected = true;
        }
      }
      case REVOKING -> state.abortAttempt();
      case SHEDDING -> {
        state.abortAttempt();
        Assignment kept = state.owned().and(state.holdings.given);
        if (!kept.isEmpty()) {
          state.call(ListenerCall.REVOKED, kept);
        }
      }
      case STARTING, STABLE -> {
        state.endAttempt(false, state.trigger != null);
        revokeAll();
      }
      case AWAY -> {
        if (goodbyeOut) {
          state.phase = LEFT;
        } else {
          end(null);
        }
        return;
      }
      case LEAVING, LEFT, ENDED -> {
        return;
      }
    }
    state.emit(new MemberEffect.CancelTimer(MemberTimer.RETRY));
    state.phase = LEAVING;
    if (state.callsOut == 0 && !revokeOnceConnected) {
      leave();
    }
  }

  private void revokeAll() {
    if (!state.owned().isEmpty()) {
      state.call(ListenerCall.REVOKED, state.owned());
    }
  }

  void revokeToLeave() {
    if (revokeOnceConnected) {
      revokeOnceConnected = false;
      revokeAll();
      if (state.callsOut == 0) {
        leave();
      }
    }
  }

  void onCrashRequested(MemberEvent.CrashRequested event) {
    state.holdings.forfeit();
    state.emit(new MemberEffect.Disconnect());
    state.abortAttempt();
    end(null);
  }

  void onLeaveDone(MemberEvent.LeaveDone event) {
    if (state.phase == LEFT) {
      end(null);
    } else if (state.phase == AWAY) {
      goodbyeOut = false;
      state.emit(new MemberEffect.Disconnect());
      comeBackWhenReady();
    }
  }

  void fail(Errors error, String reason) {
    state.lose();
    state.abortAttempt();
    String more =
        error == Errors.FENCED_INSTANCE_ID
            ? "another member has joined with its group.instance.id and has its place now"
            : reason;
    end(error.name() + " (" + error.code() + "): " + more);
  }

  /** What was owned is given up: say goodbye. A static member's place is kept, without a word. */
  void leave() {
    state.holdings.release();
    revokeOnceConnected = false;
    if (state.member == null || rules.isStatic()) {
      end(null);
    } else {
      state.phase = MemberPhase.LEFT;
      state.emit(
          new MemberEffect.SendLeave(
              state.member, !state.connected || connectionBusy, MemberState.CLOSED));
    }
  }

  /** The application or its listener is too slow for the group: leaves it until they are back. */
  void goAway(String why) {
    MemberId leaver = rules.isStatic() ? null : state.member;
    boolean busy = state.phase.inRound();
    state.lose();
    state.abortAttempt();
    state.member = null;
    state.resetGeneration();
    state.phase = MemberPhase.AWAY;
    goodbyeOut = leaver != null;
    state.retries.armed = false;
    state.emit(new MemberEffect.CancelTimer(MemberTimer.RETRY));
    if (leaver != null) {
      state.emit(new MemberEffect.SendLeave(leaver, !state.connected || busy, why));
      state.connected = false;
    } else {
      state.drop();
    }
  }

  /** Joins again once the goodbye is said and whoever was too slow is back. */
  void comeBackWhenReady() {
    if (state.phase == MemberPhase.AWAY && !goodbyeOut && !pollOverdue && state.callsOut == 0) {
      state.awaitNextRound("poll");
      state.emit(new MemberEffect.Seek());
    }
  }

  void end(@Nullable String failure) {
    state.phase = MemberPhase.ENDED;
    state.connected = false;
    state.emit(new MemberEffect.End(failure));
  }
}
