package io.rebalancer.zk.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RebalancePlannerTest {

  private static final MemberId C1 = new MemberId("C1");
  private static final MemberId C2 = new MemberId("C2");

  private static final GroupView VIEW =
      GroupView.copyOf(
          Map.of(
              C1, Subscription.copyOf(Map.of("T1", 1)), C2, Subscription.copyOf(Map.of("T1", 2))),
          Map.of("T1", PartitionSet.range(0, 10)));

  @Test
  void e01EachMemberPlansItsOwnThreadsOnly() {
    RebalancePlanner planner = new RebalancePlanner(new RangeAssignor());

    RebalancePlan first = planner.plan(C1, VIEW);
    RebalancePlan second = planner.plan(C2, VIEW);

    assertThat(first.partitions().toString()).isEqualTo("T1:0-3");
    assertThat(first.claims().values()).containsOnly(new ThreadId(C1, 0));
    assertThat(second.partitions().toString()).isEqualTo("T1:4-9");
    assertThat(second.claims().get(new TopicPartition("T1", 6))).isEqualTo(new ThreadId(C2, 0));
    assertThat(second.claims().get(new TopicPartition("T1", 7))).isEqualTo(new ThreadId(C2, 1));
  }

  @Test
  void plansFromOneViewCoverEveryPartitionOnce() {
    RebalancePlanner planner =
        new RebalancePlanner(new RoundRobinAssignor(RoundRobinAssignor.Release.V1_0));

    Set<TopicPartition> all = new HashSet<>(planner.plan(C1, VIEW).claims().keySet());
    Set<TopicPartition> second = planner.plan(C2, VIEW).claims().keySet();

    assertThat(all).doesNotContainAnyElementsOf(second);
    all.addAll(second);
    assertThat(all).hasSize(10);
  }

  @Test
  void aViewWithoutOneselfIsNoBasisForAPlan() {
    RebalancePlanner planner = new RebalancePlanner(new RangeAssignor());

    assertThatThrownBy(() -> planner.plan(new MemberId("C3"), VIEW))
        .hasMessage("members: [C1, C2] (expected: C3 among them)");
  }

  @Test
  void aTopicWithoutZnodeHasNoPartitions() {
    GroupView view = GroupView.copyOf(Map.of(C1, Subscription.copyOf(Map.of("T9", 1))), Map.of());

    assertThat(new RebalancePlanner(new RangeAssignor()).plan(C1, view))
        .isEqualTo(RebalancePlan.nothing());
  }
}
