package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.group.GroupError.ILLEGAL_GENERATION;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.REBALANCE_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.TopicPartition;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The failure cases about positions, as far as a coordinator decides them (docs/cases.md). */
class OffsetCasesTest {

  private static final TopicPartition T1 = new TopicPartition("t", 1);
  private static final TopicPartition T2 = new TopicPartition("t", 2);

  private final ShardStage stage = new ShardStage(Duration.ofDays(7), Duration.ofMinutes(10));

  /** c1 and c2 in generation 2; c1 leads. */
  private void secondMember() {
    stage.join("g", "c2", true, "t");
    stage.join("g", "c1", false, "t");
    stage.sync("g", "c1", 2);
    stage.sync("g", "c2", 2);
  }

  @Test
  void b076ACommitOfAnOlderGenerationOverwritesNobodysProgress() {
    stage.stable("g", "c1", "t");
    stage.commit("g", "c1", 1, T1, 5);
    stage.commit("g", "c1", 1, T2, 10);
    secondMember();
    assertThat(stage.commit("g", "c2", 2, T2, 41)).isEqualTo(NONE);

    assertThat(stage.commit("g", "c1", 1, T2, 10)).isEqualTo(ILLEGAL_GENERATION);
    assertThat(stage.commit("g", "c1", 2, T1, 30)).isEqualTo(NONE);

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 30L, "t-2", 41L));
  }

  @Test
  void b077WhoGetsAPartitionBackIsToldWhatTheOtherCommitted() {
    stage.stable("g", "c1", "t");
    stage.commit("g", "c1", 1, T1, 100);
    secondMember();
    stage.commit("g", "c2", 2, T1, 250);
    stage.leave("g", "c2");
    stage.join("g", "c1", false, "t");
    stage.sync("g", "c1", 3);

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 250L));
  }

  @Test
  void b080PositionsBelongToTopicAndPartition() {
    TopicPartition u1 = new TopicPartition("u", 1);
    stage.stable("g", "c1", "t", "u");
    stage.commit("g", "c1", 1, T1, 1_000);
    stage.commit("g", "c1", 1, u1, 5);

    stage.restart();

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 1_000L, "u-1", 5L));
  }

  @Test
  void b081WhoseGenerationIsOverCommitsNoMore() {
    stage.stable("g", "c1", "t");
    assertThat(stage.commit("g", "c1", 1, T1, 1)).isEqualTo(NONE);
    stage.join("g", "c2", true, "t");
    assertThat(stage.commit("g", "c1", 1, T1, 2)).as("before it lets go").isEqualTo(NONE);
    stage.join("g", "c1", false, "t");
    assertThat(stage.commit("g", "c1", 2, T1, 3))
        .as("it is not settled who owns what")
        .isEqualTo(REBALANCE_IN_PROGRESS);
    assertThat(stage.commit("g", "c1", 1, T1, 3)).isEqualTo(ILLEGAL_GENERATION);
    stage.sync("g", "c1", 2);
    stage.leave("g", "c1");
    assertThat(stage.commit("g", "c1", 2, T1, 3)).isEqualTo(UNKNOWN_MEMBER_ID);

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 2L));
  }

  /** The coordinator keeps what was committed and knows no log: clients notice, and commit anew. */
  @Test
  void b082APositionBeyondTheEndOfATopicMadeAnewIsKeptUntilAnotherIsCommitted() {
    stage.stable("g", "c1", "t");
    stage.commit("g", "c1", 1, T1, 10_650);
    stage.restart();
    stage.shard.topicsChanged(Set.of("t"));
    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 10_650L));

    assertThat(stage.commit("g", "c1", 1, T1, 12)).isEqualTo(NONE);

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 12L));
  }
}
