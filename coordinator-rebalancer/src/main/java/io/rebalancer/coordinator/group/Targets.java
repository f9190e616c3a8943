package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_SERVER_ERROR;
import static java.util.Objects.requireNonNull;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who is to have what in a server-assigned group, and who has to wait for whom. */
final class Targets {

  private final GroupRules rules;
  private final Granting granting;

  Targets(GroupRules rules, Granting granting) {
    this.rules = rules;
    this.granting = granting;
  }

  /** Asks for a new assignment; what changes while one is computed waits for the next. */
  void assign(Draft draft, Reason reason) {
    if (draft.assigning != 0) {
      draft.again = reason;
      return;
    }
    draft.nextGeneration();
    draft.moveTo(GroupPhase.ASSIGNING, reason);
    draft.assigning = draft.generation;
    GroupOptions options = rules.options(draft.id);
    if (options.isServer()) {
      draft.protocol = options.assignor();
    }
    List<GroupEffect.Claimant> claimants = new ArrayList<>();
    for (Member member : draft.members.values()) {
      claimants.add(
          new GroupEffect.Claimant(
              member.id(),
              member.instanceId(),
              member.topics(),
              member.protocols().get(0).metadata(),
              draft.shares.getOrDefault(member.id(), Share.NOTHING).target()));
    }
    draft.add(new GroupEffect.Assign(draft.generation, draft.protocol, claimants));
  }

  Step assigned(GroupState group, GroupEvent.Assigned event) {
    Draft draft = new Draft(group);
    if (event.generation() != draft.assigning) {
      return draft.done(); // Of a group that has become empty since.
    }
    draft.assigning = 0;
    merged(draft, event.targets())
        .forEach((id, target) -> draft.shares.computeIfPresent(id, (e, s) -> s.withTarget(target)));
    draft.shares.forEach((id, share) -> Granting.settleRevoking(draft, id, share.mustLetGo()));
    Reason again = draft.again;
    if (again != null) {
      draft.again = null;
      assign(draft, again);
    } else {
      List.copyOf(draft.joins.keySet()).forEach(id -> granting.answer(draft, id));
      Granting.store(draft);
      Granting.settlePhase(draft);
    }
    return draft.done();
  }

  /**
   * While partitions wait for whoever lost them nothing else changes hands: everybody keeps what it
   * has, and what is neither kept nor lost goes to whom the assignor gave it.
   */
  private static Map<MemberId, Assignment> merged(Draft draft, Map<MemberId, Assignment> assigned) {
    if (draft.lost.isEmpty()) {
      return assigned;
    }
    Assignment lost = draft.lost.values().stream().reduce(Assignment.empty(), Assignment::plus);
    Assignment all = assigned.values().stream().reduce(Assignment.empty(), Assignment::plus);
    Map<MemberId, Assignment> kept = new LinkedHashMap<>();
    Assignment spoken = lost;
    for (MemberId id : assigned.keySet()) {
      Member member = draft.members.get(id);
      Share share = draft.shares.getOrDefault(id, Share.NOTHING);
      Assignment keeps =
          member == null ? Assignment.empty() : only(share.target().and(all), member);
      kept.put(id, keeps);
      spoken = spoken.plus(keeps);
    }
    Assignment taken = spoken;
    Map<MemberId, Assignment> targets = new LinkedHashMap<>();
    assigned.forEach(
        (id, given) ->
            targets.put(id, kept.getOrDefault(id, Assignment.empty()).plus(given.minus(taken))));
    return targets;
  }

  private static Assignment only(Assignment partitions, Member member) {
    Map<String, PartitionSet> wanted = new LinkedHashMap<>();
    partitions
        .topics()
        .forEach(
            (topic, set) -> {
              if (member.topics().contains(topic)) {
                wanted.put(topic, set);
              }
            });
    return Assignment.copyOf(wanted);
  }

  /**
   * The assignor failed: everybody keeps what it has, and whoever waits is told. It is tried again
   * when the runtime says so, see {@link #tryAgain}, or something changes.
   */
  Step notAssigned(GroupState group, GroupEvent.AssignFailed event) {
    Draft draft = new Draft(group);
    if (event.generation() != draft.assigning) {
      return draft.done();
    }
    draft.assigning = 0;
    draft.joins.forEach(
        (id, request) -> {
          draft.reply(request, Answer.Joined.failed(UNKNOWN_SERVER_ERROR, id.value()));
          draft.arm(Kind.SESSION, id, requireNonNull(draft.members.get(id)).sessionTimeoutMs());
        });
    draft.joins.clear();
    Reason again = draft.again;
    draft.again = null;
    if (again != null) {
      assign(draft, again);
      return draft.done();
    }
    GroupPhase phase = new Shares(draft.shares, draft.lost).phase();
    if (phase != draft.phase()) {
      draft.moveTo(phase, Reason.ASSIGNOR_FAILED);
    }
    return draft.done();
  }

  /** The last assignment failed, and there was none since. */
  Step tryAgain(GroupState group) {
    Draft draft = new Draft(group);
    if (!draft.members.isEmpty() && !draft.initial && draft.assigning == 0) {
      assign(draft, Reason.ASSIGNOR_FAILED);
    }
    return draft.done();
  }

  /** Who came back is to have again what it lost; the rest is for everybody. */
  void delayOver(Draft draft) {
    if (draft.lost.isEmpty()) {
      return;
    }
    for (Member member : draft.members.values()) {
      Assignment lost = draft.lost.get(Served.nameOf(member));
      Share share = draft.shares.getOrDefault(member.id(), Share.NOTHING);
      if (lost != null && share.target().isEmpty()) {
        draft.shares.put(member.id(), share.withTarget(lost));
        draft.lost.remove(Served.nameOf(member));
      }
    }
    draft.lost.clear();
    assign(draft, Reason.DELAY_OVER);
  }
}
