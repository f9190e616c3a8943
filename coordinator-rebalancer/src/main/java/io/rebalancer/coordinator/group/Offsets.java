package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_NOT_AVAILABLE;
import static io.rebalancer.coordinator.group.GroupError.GROUP_ID_NOT_FOUND;
import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;

import io.rebalancer.coordinator.group.GroupEvent.CommitRequested;
import io.rebalancer.coordinator.group.TimerId.Kind;
import java.util.ArrayList;
import java.util.List;

/** OffsetCommit: who may (Kafka 4.4.0: {@code ClassicGroup.validateOffsetCommit}). */
final class Offsets {

  private Offsets() {}

  static Step on(GroupState group, CommitRequested commit) {
    List<GroupEffect> effects = new ArrayList<>(2);
    GroupError error = refusal(group, commit);
    if (error != NONE) {
      effects.add(new GroupEffect.Reply(commit.request(), new Answer.Plain(error)));
    } else {
      Member member = group.member(commit.memberId());
      if (member != null) {
        effects.add(
            new GroupEffect.ArmTimer(
                new TimerId(Kind.SESSION, member.id().value()), member.sessionTimeoutMs()));
      }
      effects.add(new GroupEffect.StoreOffsets(commit.request(), commit.offsets()));
    }
    return new Step(group, effects);
  }

  private static GroupError refusal(GroupState group, CommitRequested commit) {
    if (group.phase() == GroupPhase.DEAD) {
      return COORDINATOR_NOT_AVAILABLE;
    }
    if (commit.generation() < 0 && group.phase() == GroupPhase.EMPTY) {
      return NONE; // An administrator, or a consumer that assigns itself.
    }
    if (group.isVacant()) {
      return GROUP_ID_NOT_FOUND;
    }
    GroupError identity = group.check(commit.memberId(), commit.instanceId());
    Member member = group.member(commit.memberId());
    if (identity != NONE || member == null) {
      return identity;
    }
    if (!group.isIn(commit.generation(), member)) {
      return ILLEGAL_GENERATION;
    }
    return group.phase() == GroupPhase.COMPLETING_REBALANCE ? REBALANCE_IN_PROGRESS : NONE;
  }
}
