package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The moves that several requests share: opening a join phase, ending it, dropping members. */
final class Rebalance {

  private static final int RESERVE_AGAIN_MS = 1_000;

  private final GroupRules rules;

  Rebalance(GroupRules rules) {
    this.rules = rules;
  }

  /** Opens a join phase from Empty, CompletingRebalance or Stable. */
  void prepare(Draft draft, Reason reason) {
    if (draft.phase() == GroupPhase.COMPLETING_REBALANCE) {
      abandonAssignment(draft, REBALANCE_IN_PROGRESS);
    }
    draft.unsynced.clear();
    draft.cancel(Kind.SYNC);
    draft.replacements.forEach((id, replacement) -> draft.joins.put(id, replacement.request()));
    draft.replacements.clear();
    draft.initial = draft.phase() == GroupPhase.EMPTY;
    draft.latecomers = false;
    draft.stale = false;
    draft.unstorable = false;
    draft.moveTo(GroupPhase.PREPARING_REBALANCE, reason);
    if (draft.initial) {
      draft.delayMs = rules.initialRebalanceDelayMs();
      draft.remainingMs = Math.max(draft.rebalanceTimeoutMs() - draft.delayMs, 0);
      draft.arm(Kind.INITIAL_DELAY, draft.delayMs);
    } else if (!endIfAllJoined(draft)) {
      draft.arm(Kind.REBALANCE, draft.rebalanceTimeoutMs());
    }
  }

  /** Parked Syncs are answered {@code error}; assignments of the aborted generation are wiped. */
  void abandonAssignment(Draft draft, GroupError error) {
    draft.endAwait();
    for (Member member : draft.members.values()) {
      RequestId parked = draft.syncs.remove(member.id());
      if (parked != null) {
        draft.reply(parked, Answer.Synced.failed(error));
        // It was alive as long as that was parked, whatever its timer, which still runs, says.
        draft.arm(Kind.SESSION, member.id(), member.sessionTimeoutMs());
      }
    }
    draft.members.replaceAll((id, member) -> member.withAssignment(Opaque.empty()));
  }

  /**
   * After an assignment that is too large for the store. The same members would be given the same
   * again, for ever: the join phase goes on, without timer, until {@link #unblock}.
   */
  void block(Draft draft) {
    if (draft.phase() == GroupPhase.PREPARING_REBALANCE) {
      draft.unstorable = true;
      draft.cancel(Kind.REBALANCE);
    }
  }

  /** Members, or what they want, have changed: what they are given next may be small enough. */
  void unblock(Draft draft) {
    if (draft.unstorable) {
      draft.unstorable = false;
      draft.arm(Kind.REBALANCE, draft.rebalanceTimeoutMs());
    }
  }

  /** Ends the join phase if nobody is missing; an initial one is ended by its delay alone. */
  boolean endIfAllJoined(Draft draft) {
    boolean allJoined =
        draft.phase() == GroupPhase.PREPARING_REBALANCE
            && !draft.initial
            && draft.pending.isEmpty()
            && draft.joins.size() == draft.members.size();
    if (allJoined) {
      end(draft, Reason.ALL_JOINED);
    }
    return allJoined;
  }

  /**
   * Ends the join phase: dynamic members that have not joined are dropped, static ones stay in with
   * what they said last, until their session ends; all get the next generation. Where only such
   * static members are left, it goes on waiting; and so it does until the number of the next
   * generation is safe, see {@link Draft#isNextReserved}.
   */
  void end(Draft draft, Reason reason) {
    draft.cancel(Kind.INITIAL_DELAY);
    draft.cancel(Kind.REBALANCE);
    if (!draft.isNextReserved()) {
      draft.initial = false;
      draft.due = reason;
      draft.reserveNext();
      return;
    }
    draft.due = null;
    for (Member member : List.copyOf(draft.members.values())) {
      if (!draft.joins.containsKey(member.id()) && !member.isStatic()) {
        drop(draft, member.id());
      }
    }
    if (draft.joins.isEmpty() && !draft.members.isEmpty()) {
      draft.arm(Kind.REBALANCE, draft.rebalanceTimeoutMs());
      return;
    }
    electJoined(draft);
    draft.nextGeneration();
    draft.initial = false;
    if (draft.members.isEmpty()) {
      draft.protocol = "";
      draft.delay(0);
      draft.moveTo(GroupPhase.EMPTY, Reason.NO_MEMBERS);
      draft.persist(draft.hard());
      return;
    }
    draft.protocol = vote(draft);
    draft.moveTo(GroupPhase.COMPLETING_REBALANCE, reason);
    for (Member member : draft.members.values()) {
      draft.reply(draft.joins.get(member.id()), joined(draft, member));
      draft.arm(Kind.SESSION, member.id(), member.sessionTimeoutMs());
      if (draft.newcomers.remove(member.id())) {
        draft.cancel(Kind.NEW_MEMBER, member.id());
      }
      draft.unsynced.add(member.id());
    }
    draft.joins.clear();
    draft.arm(Kind.SYNC, draft.rebalanceTimeoutMs());
  }

  /** The store has taken something: it may be what the end of a join phase waited for. */
  void proceed(Draft draft) {
    if (draft.due != null) {
      end(draft, draft.due);
    }
  }

  /** The store has not taken it: the end of a join phase is tried again a little later. */
  void holdBack(Draft draft) {
    if (draft.due != null) {
      draft.due = null;
      draft.arm(Kind.REBALANCE, RESERVE_AGAIN_MS);
    }
  }

  /** The present generation as {@code member} is told of it; the leader learns who else is in. */
  Answer.Joined joined(Draft draft, Member member) {
    List<Answer.JoinedMember> all = new ArrayList<>();
    if (member.id().value().equals(draft.leader)) {
      for (Member each : draft.members.values()) {
        all.add(
            new Answer.JoinedMember(each.id(), each.instanceId(), each.metadata(draft.protocol)));
      }
    }
    return new Answer.Joined(
        GroupError.NONE,
        draft.generation,
        draft.protocolType,
        draft.protocol,
        draft.leader,
        member.id().value(),
        false,
        List.copyOf(all));
  }

  /**
   * Each member votes for the first of its protocols that all know; most votes win. Kafka breaks
   * ties by map order; here the protocol voted for first wins, so that a run can be repeated.
   */
  String vote(Draft draft) {
    Map<String, Integer> votes = new LinkedHashMap<>();
    for (Member member : draft.members.values()) {
      for (Protocol protocol : member.protocols()) {
        if (draft.members.values().stream().allMatch(each -> each.knows(protocol.name()))) {
          votes.merge(protocol.name(), 1, Integer::sum);
          break;
        }
      }
    }
    String winner = "";
    int most = 0;
    for (Map.Entry<String, Integer> vote : votes.entrySet()) {
      if (vote.getValue() > most) {
        winner = vote.getKey();
        most = vote.getValue();
      }
    }
    if (winner.isEmpty()) {
      throw new IllegalStateException(
          draft.id + ": expected a protocol that all members know, found none");
    }
    return winner;
  }

  /** Forgets a member; whatever it still waits for is answered UNKNOWN_MEMBER_ID. */
  void drop(Draft draft, MemberId member) {
    draft.members.remove(member);
    draft.unsynced.remove(member);
    draft.cancel(Kind.SESSION, member);
    if (draft.newcomers.remove(member)) {
      draft.cancel(Kind.NEW_MEMBER, member);
    }
    // Kafka takes the id from whoever is removed while its Join is parked.
    draft.reply(draft.joins.remove(member), Answer.Joined.failed(UNKNOWN_MEMBER_ID, ""));
    draft.reply(draft.syncs.remove(member), Answer.Synced.failed(UNKNOWN_MEMBER_ID));
    Replacement unstored = draft.replacements.remove(member);
    if (unstored != null) {
      draft.reply(unstored.request(), Answer.Joined.failed(UNKNOWN_MEMBER_ID, ""));
    }
    if (draft.leader.equals(member.value())) {
      elect(draft);
    }
  }

  /** A group leader that stays in without having joined cannot assign. */
  private static void electJoined(Draft draft) {
    if (!draft.members.isEmpty() && !draft.joins.containsKey(new MemberId(draft.leader))) {
      elect(draft);
    }
  }

  /**
   * Kafka takes any member; one that has joined already is the better choice, the first of them the
   * repeatable one.
   */
  private static void elect(Draft draft) {
    draft.leader =
        draft.members.keySet().stream()
            .filter(each -> draft.joins.isEmpty() || draft.joins.containsKey(each))
            .findFirst()
            .map(MemberId::value)
            .orElse("");
  }

  /** After members were dropped: the others must share what these had. */
  void afterDrop(Draft draft, Reason reason) {
    switch (draft.phase()) {
      case STABLE, COMPLETING_REBALANCE -> prepare(draft, reason);
      case PREPARING_REBALANCE -> {
        unblock(draft);
        endIfAllJoined(draft);
      }
      case EMPTY, DEAD, ASSIGNING, RECONCILING -> {}
    }
  }
}
