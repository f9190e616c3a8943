package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.STABLE;

/** What a {@link MemberState} does once its listener has returned. */
final class ListenerReturns {

  private final MemberState state;

  ListenerReturns(MemberState state) {
    this.state = state;
  }

  void onListenerReturned(MemberEvent.ListenerReturned event) {
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
}
