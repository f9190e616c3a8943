package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.ASSIGNING;
import static io.rebalancer.coordinator.client.MemberPhase.CONFIRMING;
import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.SYNCING;
import static java.util.Objects.requireNonNull;

import io.rebalancer.core.model.Assignment;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;

/** What the answers to a round's requests do to a {@link MemberState}. */
final class RoundAnswers {

  private final MemberState state;
  private final MemberClosing closing;

  RoundAnswers(MemberState state, MemberClosing closing) {
    this.state = state;
    this.closing = closing;
  }

  void onJoined(MemberEvent.Joined event) {
    if (state.phase != JOINING || event.attempt() != state.attempt) {
      return;
    }
    if (event.member() != null) {
      state.member = event.member();
    }
    if (closing.leaveOnceNamed) {
      state.abortAttempt();
      closing.leave();
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

  void onTopicsKnown(MemberEvent.TopicsKnown event) {
    if (state.phase == ASSIGNING && event.attempt() == state.attempt) {
      state.sync(requireNonNull(state.plan).shares(event.topics()), requireNonNull(state.member));
    }
  }

  void onSynced(MemberEvent.Synced event) {
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
      state.holdings.given = given;
      state.heartbeat();
    } else {
      state.own(given, sentAtNanos);
    }
  }

  /** Join, Sync or its confirmation was answered with an error: the round is over. */
  void refused(Errors error) {
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
        state.forget();
        state.awaitNextRound("lost");
      }
      case SEEK -> {
        state.awaitNextRound("retry");
        state.drop();
      }
      case END -> {
        closing.fail(error, error.message());
        return;
      }
      case GO_ON, TAKE_ID, RETRY -> state.awaitNextRound("retry");
    }
    state.retries.pause();
  }

  private void lose() {
    if (!state.owned().isEmpty()) {
      state.lose();
    }
    state.resetGeneration();
  }
}
