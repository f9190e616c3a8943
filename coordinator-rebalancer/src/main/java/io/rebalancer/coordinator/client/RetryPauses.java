package io.rebalancer.coordinator.client;

import java.time.Duration;

/** The pauses of a {@link MemberState} after what failed, each twice as long up to the longest. */
final class RetryPauses {

  /** Doubled so often at most: a millisecond is then more than any pause. */
  private static final int MAX_DOUBLINGS = 31;

  private final MemberState state;
  private final MemberRules rules;
  private int failures;

  /** A pause is on. */
  boolean armed;

  RetryPauses(MemberState state, MemberRules rules) {
    this.state = state;
    this.rules = rules;
  }

  void pause() {
    armed = true;
    state.emit(new MemberEffect.ArmTimer(MemberTimer.RETRY, backoff()));
    failures++;
  }

  /** As {@link #pause}, unless one is on already or the coordinator is being sought. */
  void pauseOnce() {
    if (state.connected && !armed) {
      pause();
    }
  }

  private Duration backoff() {
    Duration doubled = rules.retryBackoff().multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
    Duration most = rules.retryBackoffMax();
    return doubled.compareTo(most) < 0 ? doubled : most;
  }

  void succeeded() {
    failures = 0;
  }
}
