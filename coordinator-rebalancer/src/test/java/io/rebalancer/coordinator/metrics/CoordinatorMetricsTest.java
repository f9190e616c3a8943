package io.rebalancer.coordinator.metrics;

import static io.rebalancer.coordinator.metrics.CoordinatorMetrics.COORDINATOR;
import static io.rebalancer.coordinator.metrics.CoordinatorMetrics.GROUPS;
import static io.rebalancer.coordinator.metrics.CoordinatorMetrics.OURS;
import static io.rebalancer.coordinator.metrics.CoordinatorMetrics.REQUESTS;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rebalancer.coordinator.group.GroupPhase;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.observe.Observation;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;

class CoordinatorMetricsTest {

  private static final GroupId G = new GroupId("g");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final CoordinatorMetrics metrics = new CoordinatorMetrics(registry);

  private void moved(int atSeconds, String from, String to, String reason) {
    metrics.on(
        new Observation.PhaseChanged(TimeUnit.SECONDS.toNanos(atSeconds), G, 1, from, to, reason));
  }

  private double count(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  @Test
  void aRebalanceLastsFromWhatBeganItToTheStableGroupAndIsCountedByItsReason() {
    moved(1, "Empty", "PreparingRebalance", "MEMBER_JOIN");
    moved(4, "PreparingRebalance", "CompletingRebalance", "INITIAL_DELAY_OVER");
    moved(6, "CompletingRebalance", "Stable", "ASSIGNMENT_STORED");

    var timer = registry.get(OURS + "rebalance").tag("reason", "MEMBER_JOIN").timer();
    assertThat(timer.count()).isEqualTo(1);
    assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(5);
    assertThat(count(COORDINATOR + "group-completed-rebalance-count")).isEqualTo(1);
  }

  @Test
  void aRoundThatIsGivenUpFailsAndTheRebalanceGoesOn() {
    moved(1, "Stable", "PreparingRebalance", "MEMBER_LEAVE");
    moved(2, "PreparingRebalance", "CompletingRebalance", "ALL_JOINED");
    moved(3, "CompletingRebalance", "PreparingRebalance", "SYNC_TIMEOUT");
    moved(4, "PreparingRebalance", "CompletingRebalance", "ALL_JOINED");
    moved(9, "CompletingRebalance", "Stable", "ASSIGNMENT_STORED");

    assertThat(count(OURS + "rebalance.failed", "reason", "SYNC_TIMEOUT")).isEqualTo(1);
    var timer = registry.get(OURS + "rebalance").tag("reason", "MEMBER_LEAVE").timer();
    assertThat(timer.count()).isEqualTo(1);
    assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(8);
  }

  @Test
  void anAssignorThatFailsIsCountedAndTheRebalanceGoesOn() {
    moved(1, "Stable", "Assigning", "MEMBER_EXPIRED");
    metrics.notAssigned();
    moved(1, "Assigning", "Stable", "ASSIGNOR_FAILED");
    moved(2, "Stable", "Assigning", "ASSIGNOR_FAILED");
    moved(2, "Assigning", "Reconciling", "ASSIGNED");
    moved(5, "Reconciling", "Stable", "RECONCILED");

    assertThat(count(OURS + "rebalance.failed", "reason", "ASSIGNOR_FAILED")).isEqualTo(1);
    assertThat(count(COORDINATOR + "group-completed-rebalance-count")).isEqualTo(1);
    var timer = registry.get(OURS + "rebalance").tag("reason", "MEMBER_EXPIRED").timer();
    assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(4);
  }

  @Test
  void theLastMembersGoingIsNoCompletedRebalance() {
    moved(1, "Stable", "PreparingRebalance", "MEMBER_LEAVE");
    moved(1, "PreparingRebalance", "Empty", "NO_MEMBERS");
    moved(5, "Empty", "PreparingRebalance", "MEMBER_JOIN");
    moved(8, "PreparingRebalance", "CompletingRebalance", "INITIAL_DELAY_OVER");
    moved(8, "CompletingRebalance", "Stable", "ASSIGNMENT_STORED");

    assertThat(count(COORDINATOR + "group-completed-rebalance-count")).isEqualTo(1);
    assertThat(registry.find(OURS + "rebalance").tag("reason", "MEMBER_LEAVE").timer()).isNull();
  }

  @Test
  void groupsAreCountedByTheirStates() {
    metrics.phase(null, GroupPhase.EMPTY);
    metrics.phase(null, GroupPhase.EMPTY);
    metrics.phase(GroupPhase.EMPTY, GroupPhase.STABLE);

    assertThat(registry.get(GROUPS + "NumGroups").gauge().value()).isEqualTo(2);
    assertThat(registry.get(GROUPS + "NumGroupsEmpty").gauge().value()).isEqualTo(1);
    assertThat(registry.get(GROUPS + "NumGroupsStable").gauge().value()).isEqualTo(1);
    metrics.phase(GroupPhase.STABLE, null);
    assertThat(registry.get(GROUPS + "NumGroups").gauge().value()).isEqualTo(1);
  }

  @Test
  void requestsAreTimedByTheirName() {
    metrics.begin(ApiKeys.HEARTBEAT).run();
    metrics.begin(ApiKeys.OFFSET_COMMIT).run();
    metrics.begin(ApiKeys.OFFSET_COMMIT).run();

    assertThat(registry.get(REQUESTS).tag("request", "Heartbeat").timer().count()).isEqualTo(1);
    assertThat(registry.get(REQUESTS).tag("request", "OffsetCommit").timer().count()).isEqualTo(2);
  }
}
