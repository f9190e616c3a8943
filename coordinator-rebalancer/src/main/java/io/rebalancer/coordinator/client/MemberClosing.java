package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.AWAY;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.LEFT;

import io.rebalancer.core.model.Assignment;
import org.apache.kafka.common.protocol.Errors;

/** How a {@link MemberState} comes to its end: closed, crashed, or refused for good. */
final class MemberClosing {

  private final MemberState state;

  MemberClosing(MemberState state) {
    this.state = state;
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

  void revokeToLeave() {
    if (state.revokeOnceConnected) {
      state.revokeOnceConnected = false;
      revokeAll();
      if (state.callsOut == 0) {
        state.leave();
      }
    }
  }

  void onCrashRequested(MemberEvent.CrashRequested event) {
    state.forfeit();
    state.emit(new MemberEffect.Disconnect());
    state.abortAttempt();
    state.end(null);
  }

  void onLeaveDone(MemberEvent.LeaveDone event) {
    if (state.phase == LEFT) {
      state.end(null);
    } else if (state.phase == AWAY) {
      state.goodbyeOut = false;
      state.emit(new MemberEffect.Disconnect());
      state.comeBackWhenReady();
    }
  }

  void fail(Errors error, String reason) {
    state.lose();
    state.abortAttempt();
    String more =
        error == Errors.FENCED_INSTANCE_ID
            ? "another member has joined with its group.instance.id and has its place now"
            : reason;
    state.end(error.name() + " (" + error.code() + "): " + more);
  }
}
