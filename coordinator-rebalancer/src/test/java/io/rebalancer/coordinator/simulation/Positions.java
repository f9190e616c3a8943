package io.rebalancer.coordinator.simulation;

import static io.rebalancer.coordinator.group.GroupError.NONE;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.runtime.RequestKind;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;

/** What a member commits and fetches. */
final class Positions {

  private final World world;
  private final Oracle oracle;
  private final MemberModel member;

  Positions(World world, Oracle oracle, MemberModel member) {
    this.world = world;
    this.oracle = oracle;
    this.member = member;
  }

  void plan() {
    world.after(
        member.profile.commitMs(),
        () -> {
          if (member.alive && !member.leaving) {
            if (member.frozenFor() == 0 && member.phase == MemberModel.Phase.STABLE) {
              commit();
            }
            plan();
          }
        });
  }

  void commit() {
    if (member.owned.isEmpty()
        || member.link == null
        || member.generation == MemberModel.NO_GENERATION) {
      return;
    }
    Map<TopicPartition, CommittedOffset> offsets = oracle.positions.next(member.owned);
    String id = member.memberId;
    int of = member.generation;
    member.link.send(
        new Ask(
            RequestKind.COMMIT,
            member,
            id,
            of,
            offsets,
            request ->
                new GroupEvent.CommitRequested(
                    request, id, member.profile.instanceId(), of, offsets)),
        MemberModel.REQUEST_TIMEOUT_MS,
        answer -> {
          GroupError error = ((Answer) answer).error();
          boolean passing =
              error == GroupError.REBALANCE_IN_PROGRESS || error == GroupError.GROUP_ID_NOT_FOUND;
          if (error != NONE && !passing) {
            member.heart.told(id, of, error);
          }
        });
  }

  void fetch() {
    if (member.link != null && !member.owned.isEmpty()) {
      member.link.send(
          new Ask(RequestKind.FETCH, member, member.memberId, member.generation, Map.of(), null),
          MemberModel.REQUEST_TIMEOUT_MS,
          answer -> {
            if (answer == GroupError.NOT_COORDINATOR) {
              member.forgetCoordinator();
            }
          });
    }
  }
}
