package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.CONFIRMING;
import static io.rebalancer.coordinator.client.MemberPhase.LEAVING;
import static io.rebalancer.coordinator.client.MemberPhase.SHEDDING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.MemberPhase.STARTING;

import org.apache.kafka.common.protocol.Errors;

/** What the answers to heartbeats, and to commits, do to a {@link MemberState}. */
final class HeartbeatAnswers {

  private final MemberState state;
  private final RoundAnswers rounds;
  private final MemberClosing closing;

  HeartbeatAnswers(MemberState state, RoundAnswers rounds, MemberClosing closing) {
    this.state = state;
    this.rounds = rounds;
    this.closing = closing;
  }

  void onTold(MemberEvent.Told event) {
    if (event.generation() != state.generation) {
      return;
    }
    if (state.phase == CONFIRMING) {
      if (event.error() == Errors.NONE) {
        state.own(state.holdings.given, event.sentAtNanos());
      } else {
        rounds.refused(event.error());
      }
    } else if (state.phase.heartbeats()) {
      told(event);
    } else if (state.phase.waitsForAnswer()) {
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
    if (alive && !state.owned().isEmpty()) {
      state.emit(new MemberEffect.RenewLease(event.sentAtNanos()));
    }
  }

  private void told(MemberEvent.Told event) {
    switch (Reaction.to(event.error())) {
      case GO_ON -> {
        state.emit(new MemberEffect.RenewLease(event.sentAtNanos()));
        state.retries.succeeded();
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
          state.retries.pause();
        }
      }
      case END -> closing.fail(event.error(), event.error().message());
      case TAKE_ID, RETRY -> {} // The next heartbeat asks again.
    }
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
      state.forget();
    }
    if (anew) {
      state.prepare();
    }
  }
}
