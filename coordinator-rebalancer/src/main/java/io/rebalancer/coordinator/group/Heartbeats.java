package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;

import io.rebalancer.coordinator.group.GroupEvent.HeartbeatRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Heartbeat. The most frequent request: it re-arms a timer and copies no state. */
final class Heartbeats {

  private Heartbeats() {}

  static Step on(GroupState group, HeartbeatRequested beat) {
    List<GroupEffect> effects = new ArrayList<>(2);
    Member member = group.member(beat.memberId());
    GroupError error = refusal(group, beat, member);
    if (error == NONE && member != null) {
      effects.add(
          new GroupEffect.ArmTimer(
              new TimerId(Kind.SESSION, member.id().value()), member.sessionTimeoutMs()));
      error = group.phase() == GroupPhase.PREPARING_REBALANCE ? REBALANCE_IN_PROGRESS : NONE;
    }
    effects.add(new GroupEffect.Reply(beat.request(), new Answer.Plain(error)));
    return new Step(group, effects);
  }

  private static GroupError refusal(
      GroupState group, HeartbeatRequested beat, @Nullable Member member) {
    if (group.phase() == GroupPhase.DEAD) {
      return COORDINATOR_NOT_AVAILABLE;
    }
    GroupError identity = group.check(beat.memberId(), beat.instanceId());
    if (identity != NONE || member == null) {
      return identity;
    }
    return beat.generation() == group.generation() ? NONE : ILLEGAL_GENERATION;
  }
}
