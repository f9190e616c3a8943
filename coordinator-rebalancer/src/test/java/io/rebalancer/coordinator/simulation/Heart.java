package io.rebalancer.coordinator.simulation;

import static io.rebalancer.coordinator.group.GroupError.NONE;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.runtime.RequestKind;

/**
 * A member's heartbeat thread: it beats, looks for the coordinator, and leaves for an application
 * that does not poll.
 */
final class Heart {

  private final World world;
  private final Oracle oracle;
  private final MemberModel member;
  private long beats;

  Heart(World world, Oracle oracle, MemberModel member) {
    this.world = world;
    this.oracle = oracle;
    this.member = member;
  }

  void plan() {
    long number = ++beats;
    world.after(member.profile.heartbeatMs(), () -> due(number));
  }

  private void due(long number) {
    if (!member.alive || member.leaving || number != beats) {
      return;
    }
    if (member.frozenFor() > 0) {
      world.after(member.frozenFor(), () -> due(number));
      return;
    }
    world.after(member.profile.heartbeatMs(), () -> due(number));
    boolean joined =
        member.phase == MemberModel.Phase.STABLE || member.phase == MemberModel.Phase.SYNCING;
    if (!joined || member.generation == MemberModel.NO_GENERATION) {
      return;
    }
    if (member.link == null) {
      member.seek();
    } else if (world.now() - member.lastAnswer > member.profile.sessionMs()) {
      world.note(15, () -> member.name + " has had no answer for its session");
      member.forgetCoordinator();
    } else if (member.blockedUntil > world.now()
        && world.now() - member.blockedSince > member.profile.rebalanceMs()) {
      world.note(16, () -> member.name + " has not polled for too long and leaves");
      member.sendLeave();
      member.reset(true);
    } else {
      beat();
    }
  }

  /** A heartbeat that is overdue when the coordinator is found is sent at once. */
  void beatNow() {
    long number = ++beats;
    world.after(1, () -> due(number));
  }

  private void beat() {
    String id = member.memberId;
    int of = member.generation;
    member.send(
        RequestKind.HEARTBEAT,
        request -> new GroupEvent.HeartbeatRequested(request, id, member.profile.instanceId(), of),
        MemberModel.REQUEST_TIMEOUT_MS,
        answer -> told(id, of, ((Answer) answer).error()));
  }

  void told(String id, int of, GroupError error) {
    boolean current = of == member.generation && id.equals(member.memberId);
    switch (error) {
      case NONE -> member.heard();
      case REBALANCE_IN_PROGRESS -> {
        member.heard();
        if (member.phase == MemberModel.Phase.STABLE && current) {
          member.rejoin = true;
          member.wantPoll();
        }
      }
      case ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID -> {
        if (current) {
          member.reset(error == GroupError.UNKNOWN_MEMBER_ID);
        }
      }
      case FENCED_INSTANCE_ID -> member.fenced();
      case COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR -> member.forgetCoordinator();
      case COORDINATOR_LOAD_IN_PROGRESS -> {}
      default -> throw oracle.violated(Invariant.CONSISTENT, member.name + " is told " + error);
    }
  }
}
