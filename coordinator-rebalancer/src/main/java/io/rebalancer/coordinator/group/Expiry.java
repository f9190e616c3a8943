package io.rebalancer.coordinator.group;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.List;

/** Timers of a classic group's rounds that ran out. */
final class Expiry {

  private final GroupRules rules;
  private final Rebalance rebalance;

  Expiry(GroupRules rules, Rebalance rebalance) {
    this.rules = rules;
    this.rebalance = rebalance;
  }

  Step on(GroupState group, TimerId timer) {
    Draft draft = new Draft(group);
    switch (timer.kind()) {
      case INITIAL_DELAY -> initialDelay(draft);
      case REBALANCE -> rebalanceTimeout(draft);
      case SYNC -> syncTimeout(draft);
      case NEW_MEMBER -> newMember(draft, new MemberId(timer.member()));
      case SESSION,
          PENDING,
          REVOCATION,
          STORE,
          ASSIGNMENT,
          DELAY,
          LED_DELAY -> {} // Silence's, of server-assigned groups, or its leader's business.
    }
    return draft.done();
  }

  private void initialDelay(Draft draft) {
    if (draft.phase() != GroupPhase.PREPARING_REBALANCE || !draft.initial) {
      return;
    }
    if (!extendInitialDelay(draft, rules)) {
      rebalance.end(draft, Reason.INITIAL_DELAY_OVER);
    }
  }

  /** While members keep coming, within what the longest rebalance timeout allows (KIP-134). */
  static boolean extendInitialDelay(Draft draft, GroupRules rules) {
    if (!draft.latecomers || draft.remainingMs <= 0) {
      return false;
    }
    int next = Math.min(rules.initialRebalanceDelayMs(), draft.remainingMs);
    draft.remainingMs = Math.max(draft.remainingMs - draft.delayMs, 0);
    draft.delayMs = next;
    draft.latecomers = false;
    draft.arm(Kind.INITIAL_DELAY, next);
    return true;
  }

  private void rebalanceTimeout(Draft draft) {
    if (draft.phase() == GroupPhase.PREPARING_REBALANCE && !draft.initial) {
      rebalance.end(draft, Reason.REBALANCE_TIMEOUT);
    }
  }

  /** Without it a member that heartbeats but never syncs would hold its share unserved for ever. */
  private void syncTimeout(Draft draft) {
    List<MemberId> late = new ArrayList<>(draft.unsynced);
    late.forEach(member -> rebalance.drop(draft, member));
    if (!late.isEmpty()) {
      rebalance.afterDrop(draft, Reason.SYNC_TIMEOUT);
    }
  }

  private void newMember(Draft draft, MemberId member) {
    if (draft.newcomers.contains(member)) {
      rebalance.drop(draft, member);
      rebalance.afterDrop(draft, Reason.MEMBER_EXPIRED);
    }
  }
}
