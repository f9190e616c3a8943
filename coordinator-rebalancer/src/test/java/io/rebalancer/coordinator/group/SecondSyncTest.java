package io.rebalancer.coordinator.group;

import static io.rebalancer.coordinator.group.Groups.A;
import static io.rebalancer.coordinator.group.Groups.B;
import static io.rebalancer.coordinator.group.Groups.bytes;
import static io.rebalancer.coordinator.group.Groups.leaderSync;
import static io.rebalancer.coordinator.group.Groups.request;
import static io.rebalancer.coordinator.group.Groups.sync;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The group leader assigns while its assignment is being stored: a is the leader, b follows. */
class SecondSyncTest {

  private final Groups groups = new Groups();
  private final GroupState storing =
      groups.after(groups.completing(), sync(1, B, 2), leaderSync(2, A, 2));

  private GroupPhase storedAfter(GroupEvent second) {
    GroupState again = groups.after(storing, second);
    long write = storing.round().write();
    return groups.step(again, new GroupEvent.Persisted(write)).state().phase();
  }

  @Test
  void anotherAssignmentIsAskedForOnceTheFirstIsStored() {
    GroupEvent otherwise =
        new GroupEvent.SyncRequested(
            request(3), "a", "", 2, "consumer", "range", Map.of(B, bytes("all of it")));

    assertThat(storedAfter(otherwise)).isEqualTo(GroupPhase.PREPARING_REBALANCE);
  }

  @Test
  void theSameAssignmentOnceMoreChangesNothing() {
    assertThat(storedAfter(leaderSync(3, A, 2))).isEqualTo(GroupPhase.STABLE);
  }

  @Test
  void aSyncThatAssignsNothingChangesNothing() {
    assertThat(storedAfter(sync(3, A, 2))).isEqualTo(GroupPhase.STABLE);
  }
}
