package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.FENCED_INSTANCE_ID;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static java.util.Objects.requireNonNull;

import io.rebalancer.coordinator.group.GroupEvent.JoinRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.MemberId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A static member's process comes back without its id (KIP-345, KIP-814; Kafka 4.4.0: {@code
 * GroupMetadataManager.updateStaticMemberThenRebalanceOrCompleteJoin}): the member gets a new id,
 * whoever still uses the old one is fenced, and a Stable group stays as it is.
 */
final class Replacing {

  private final Rebalance rebalance;

  Replacing(Rebalance rebalance) {
    this.rebalance = rebalance;
  }

  void on(Draft draft, JoinRequested join, Member former) {
    Member returned = Joining.member(join, join.freshId(), join.instanceId(), former.assignment());
    supersede(draft, former.id());
    swap(draft, former.id(), returned);
    draft.arm(Kind.SESSION, returned.id(), returned.sessionTimeoutMs());
    boolean undisturbed =
        draft.phase() == GroupPhase.STABLE && rebalance.vote(draft).equals(draft.protocol);
    if (undisturbed) {
      draft.replacements.put(
          returned.id(),
          new Replacement(
              draft.persist(draft.hard()), join.request(), former, join.canSkipAssignment()));
      return;
    }
    draft.joins.put(returned.id(), join.request());
    draft.newcomers.add(returned.id());
    draft.arm(Kind.NEW_MEMBER, returned.id(), GroupRules.NEW_MEMBER_JOIN_TIMEOUT_MS);
    if (draft.phase() == GroupPhase.PREPARING_REBALANCE) {
      rebalance.unblock(draft);
      rebalance.endIfAllJoined(draft);
    } else {
      rebalance.prepare(draft, Reason.MEMBER_RESTART);
    }
  }

  /** Whatever the old id still waits for is another process's now. */
  private static void supersede(Draft draft, MemberId old) {
    draft.cancel(Kind.SESSION, old);
    if (draft.newcomers.remove(old)) {
      draft.cancel(Kind.NEW_MEMBER, old);
    }
    draft.reply(draft.joins.remove(old), Answer.Joined.failed(FENCED_INSTANCE_ID, old.value()));
    draft.reply(draft.syncs.remove(old), Answer.Synced.failed(FENCED_INSTANCE_ID));
    Replacement unstored = draft.replacements.remove(old);
    if (unstored != null) {
      draft.reply(unstored.request(), Answer.Joined.failed(FENCED_INSTANCE_ID, old.value()));
    }
  }

  /** In the place of the old one: the order of members is that of their first joins. */
  static void swap(Draft draft, MemberId old, Member next) {
    Map<MemberId, Member> members = new LinkedHashMap<>(draft.members);
    draft.members.clear();
    members.forEach(
        (id, member) -> {
          boolean replaced = id.equals(old);
          draft.members.put(replaced ? next.id() : id, replaced ? next : member);
        });
    if (draft.unsynced.remove(old)) {
      draft.unsynced.add(next.id());
    }
    if (draft.leader.equals(old.value())) {
      draft.leader = next.id().value();
    }
  }

  /** Whether the write with this token stores a replacement that somebody waits for. */
  static boolean awaits(GroupState group, long write) {
    return of(group, write).isPresent();
  }

  private static Optional<Map.Entry<MemberId, Replacement>> of(GroupState group, long write) {
    return group.waiting().replacements().entrySet().stream()
        .filter(each -> each.getValue().write() == write)
        .findFirst();
  }

  /** The member may be told: from now on its old id is fenced, whoever coordinates. */
  Step stored(GroupState group, long write) {
    Draft draft = new Draft(group);
    draft.ended(write, true);
    MemberId id = of(group, write).orElseThrow().getKey();
    Replacement replacement = draft.replacements.remove(id);
    Member member = requireNonNull(draft.members.get(id), "member");
    draft.reply(replacement.request(), answer(draft, member, replacement));
    draft.arm(Kind.SESSION, id, member.sessionTimeoutMs());
    return draft.done();
  }

  /**
   * Before Join v9 a group leader would assign when told that it leads, and nobody waits for an
   * assignment: it is told that its former self does.
   */
  private Answer answer(Draft draft, Member member, Replacement replacement) {
    Answer.Joined told = rebalance.joined(draft, member);
    boolean leads = draft.leader.equals(member.id().value());
    return new Answer.Joined(
        NONE,
        told.generation(),
        told.protocolType(),
        told.protocol(),
        leads && !replacement.canSkipAssignment()
            ? replacement.former().id().value()
            : draft.leader,
        told.memberId(),
        leads && replacement.canSkipAssignment(),
        replacement.canSkipAssignment() ? told.members() : List.of());
  }

  /** The store still has the old id, and so has the group again. */
  Step notStored(GroupState group, long write, GroupError error) {
    Draft draft = new Draft(group);
    draft.ended(write, false);
    MemberId id = of(group, write).orElseThrow().getKey();
    Replacement replacement = draft.replacements.remove(id);
    Member former = replacement.former();
    draft.cancel(Kind.SESSION, id);
    swap(draft, id, former);
    draft.arm(Kind.SESSION, former.id(), former.sessionTimeoutMs());
    draft.reply(replacement.request(), Answer.Joined.failed(error, ""));
    return draft.done();
  }
}
