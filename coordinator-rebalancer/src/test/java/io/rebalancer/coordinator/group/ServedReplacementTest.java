package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.B;
import static io.rebalancer.coordinator.group.Groups.timer;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A static member of a server-assigned group comes back under a new id. */
class ServedReplacementTest {

  private final GroupStateMachine machine =
      new GroupStateMachine(
          new GroupRules(0, 6_000, 60_000, 100, group -> GroupOptions.server("uniform", 0)),
          assignment -> Opaque.empty());

  private GroupState after(GroupState group, GroupEvent... events) {
    GroupState now = group;
    for (GroupEvent event : events) {
      now = machine.step(now, event).state();
    }
    return now;
  }

  private static GroupEvent join(long request, MemberId fresh) {
    return Groups.servedJoin(request, "", fresh, "i1", Kept.NOTHING);
  }

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  @Test
  void anAssignmentThatWasComputedForItsFormerIdIsComputedAgain() {
    GroupState computing =
        after(
            Groups.unknown(),
            join(1, A),
            timer(Kind.INITIAL_DELAY),
            new GroupEvent.Assigned(1, Map.of(A, t(0))),
            new GroupEvent.Persisted(1),
            new GroupEvent.TopicsChanged(Set.of("t")));
    GroupState replaced = after(computing, join(2, B));

    Step computed = machine.step(replaced, new GroupEvent.Assigned(2, Map.of(A, t(0, 1))));
    GroupState settled =
        after(
            computed.state(),
            new GroupEvent.Assigned(3, Map.of(B, t(0, 1))),
            new GroupEvent.Persisted(2));

    assertThat(computed.effects())
        .filteredOn(GroupEffect.Assign.class::isInstance)
        .containsExactly(
            new GroupEffect.Assign(
                3,
                "uniform",
                List.of(new GroupEffect.Claimant(B, "i1", Set.of("t"), Groups.bytes("t"), t(0)))));
    assertThat(settled.shares().of())
        .containsExactly(Map.entry(B, new Share(3, t(0, 1), t(0, 1), t(0, 1))));
    assertThat(settled.phase()).isEqualTo(GroupPhase.STABLE);
  }
}
