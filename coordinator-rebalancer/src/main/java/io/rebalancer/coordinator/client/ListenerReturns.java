package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.STABLE;

/** What a {@link MemberState} does once its listener has returned. */
final class ListenerReturns {

  private final MemberState state;
  private final MemberClosing closing;

  ListenerReturns(MemberState state, MemberClosing closing) {
    this.state = state;
    this.closing = closing;
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
      case LEAVING -> closing.leave();
      case WAITING -> state.beginWhenReady();
      case JOINING, ASSIGNING, SYNCING, CONFIRMING -> {} // Lost by the lease; the round goes on.
      case AWAY -> closing.comeBackWhenReady();
      case LISTING, STABLE, LEFT, ENDED -> {} // No call is out in these, or nobody waits for it.
    }
  }

  private void shed(boolean failed) {
    state.holdings.shed();
    if (failed) {
      state.abortAttempt();
      state.awaitNextRound("retry");
      state.retries.pauseOnce();
    } else {
      state.startShed();
    }
  }

  private void started(boolean failed) {
    if (failed) {
      state.holdings.giveBack();
      state.abortAttempt();
      state.awaitNextRound("retry");
      state.retries.pauseOnce();
      return;
    }
    state.phase = STABLE;
    state.holdings.claimStarted();
    state.retries.succeeded();
    String next = state.trigger;
    state.endAttempt(false, next != null);
    if (next != null) {
      state.begin(next);
    } else {
      state.topics.listIfDue();
    }
  }

  private void revoked(boolean failed) {
    if (!failed) {
      state.join();
      return;
    }
    state.holdings.revokeFailed();
    state.abortAttempt();
    state.awaitNextRound("retry");
    state.retries.pauseOnce();
  }
}
