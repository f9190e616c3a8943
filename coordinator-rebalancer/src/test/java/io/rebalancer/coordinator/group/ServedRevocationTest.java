package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.B;
import static io.rebalancer.coordinator.group.Groups.REBALANCE_MS;
import static io.rebalancer.coordinator.group.Groups.arm;
import static io.rebalancer.coordinator.group.Groups.timer;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.TimerId.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How long a member of a server-assigned group may take to let go of partitions. */
class ServedRevocationTest {

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

  private static GroupEvent join(long request, String memberId, MemberId fresh, Assignment owned) {
    return Groups.servedJoin(request, memberId, fresh, "", new Kept(owned, Kept.UNTOLD));
  }

  private static Assignment t(int... partitions) {
    return Assignment.of("t", PartitionSet.of(partitions));
  }

  /** a owns two partitions and is to let go of one, for b. */
  private GroupState revoking() {
    return after(
        Groups.unknown(),
        join(1, "", A, Assignment.empty()),
        timer(Kind.INITIAL_DELAY),
        new GroupEvent.Assigned(1, Map.of(A, t(0, 1))),
        new GroupEvent.Persisted(1),
        join(2, "", B, Assignment.empty()),
        new GroupEvent.Assigned(2, Map.of(A, t(0), B, t(1))),
        new GroupEvent.Persisted(2));
  }

  @Test
  void anIdThatLeavesAnEmptyGroupLeavesItEmpty() {
    GroupEvent first = new Groups().join(1, "", A, true, Groups.range("t"));
    GroupState left = after(Groups.unknown(), first, Groups.leave(2, A));

    assertThat(left.phase()).isEqualTo(GroupPhase.EMPTY);
    assertThat(left.waiting().pending()).isEmpty();
  }

  @Test
  void aMemberThatDoesNotComeToLetGoIsRemoved() {
    GroupState late = after(revoking(), timer(Kind.REVOCATION, A));

    assertThat(late.hard().members()).containsOnlyKeys(B);
  }

  @Test
  void aMemberThatCameAndWaitsForTheStoreHasItsTimeAgain() {
    GroupState waiting = after(revoking(), join(3, "a", A, t(0, 1)));

    Step late = machine.step(waiting, timer(Kind.REVOCATION, A));

    assertThat(late.state().hard().members()).containsOnlyKeys(A, B);
    assertThat(late.effects()).containsExactly(arm(Kind.REVOCATION, A, REBALANCE_MS));
  }

  @Test
  void aMemberHasItsWholeTimeFromTheAnswerThatTellsItWhatToLetGo() {
    GroupState waiting = after(revoking(), join(3, "a", A, t(0, 1)), new GroupEvent.Persisted(3));

    Step told = machine.step(waiting, new GroupEvent.Persisted(4));

    assertThat(told.effects()).contains(arm(Kind.REVOCATION, A, REBALANCE_MS));
  }

  @Test
  void joiningAgainWithoutLettingGoGivesNoMoreTime() {
    GroupState waiting =
        after(
            revoking(),
            join(3, "a", A, t(0, 1)),
            new GroupEvent.Persisted(3),
            new GroupEvent.Persisted(4),
            join(4, "a", A, t(0, 1)));

    Step again = machine.step(waiting, new GroupEvent.Persisted(5));

    assertThat(again.effects())
        .hasSizeGreaterThan(1)
        .doesNotContain(arm(Kind.REVOCATION, A, REBALANCE_MS));
    assertThat(after(again.state(), timer(Kind.REVOCATION, A)).hard().members())
        .containsOnlyKeys(B);
  }
}
