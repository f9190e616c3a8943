package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;

import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import java.util.ArrayList;
import java.util.List;

/** Heartbeat. The most frequent request: it re-arms a timer and copies no state. */
final class Heartbeats {

  private Heartbeats() {}

  static Step on(GroupState group, HeartbeatRequested beat) {
    List<GroupEffect> effects = new ArrayList<>(2);
    Member member = group.member(beat.memberId());
    GroupError error;
    if (group.phase() == GroupPhase.DEAD) {
      error = COORDINATOR_NOT_AVAILABLE;
    } else if (member == null) {
      error = UNKNOWN_MEMBER_ID;
    } else if (beat.generation() != group.generation()) {
      error = ILLEGAL_GENERATION;
    } else {
      effects.add(
          new GroupEffect.ArmTimer(
              new TimerId(Kind.SESSION, member.id().value()), member.sessionTimeoutMs()));
      error = group.phase() == GroupPhase.PREPARING_REBALANCE ? REBALANCE_IN_PROGRESS : NONE;
    }
    effects.add(new GroupEffect.Reply(beat.request(), new Answer.Plain(error)));
    return new Step(group, effects);
  }
}
