package io.rebalancer.coordinator.runtime;

import static io.rebalancer.coordinator.group.GroupError.COORDINATOR_LOAD_IN_PROGRESS;
import static io.rebalancer.coordinator.group.GroupError.GROUP_ID_NOT_FOUND;
import static io.rebalancer.coordinator.group.GroupError.NONE;
import static io.rebalancer.coordinator.group.GroupError.NOT_COORDINATOR;
import static io.rebalancer.coordinator.group.GroupError.UNKNOWN_MEMBER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.Answer;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdminShardTest {

  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);

  private final ShardStage stage = new ShardStage(Duration.ofDays(7), Duration.ofMinutes(10));

  private static Answer plain(GroupError error) {
    return new Answer.Plain(error);
  }

  @Test
  void groupsOfPositionsAloneAreListedAndDescribedToo() {
    stage.commit("offsets", T0, 1);
    stage.stable("live", "a", "t");
    stage.stable("left", "b", "t");
    stage.leave("left", "b");

    assertThat(stage.list()).containsExactly("left Empty", "live Stable", "offsets Empty");
    assertThat(stage.describe("live").orElseThrow().hard().members().keySet())
        .extracting(id -> id.value())
        .containsExactly("a");
    assertThat(stage.describe("offsets").orElseThrow().hard().protocolType()).isEmpty();
    assertThat(stage.describe("nobody")).isEmpty();
  }

  @Test
  void whatIsLeftOfADelayIsDescribedAsTheGroupLeaderSaidIt() {
    stage.join("g", "a", true, "t");
    stage.advance(100);
    stage.sync("g", "a", 1, 30_000);
    assertThat(stage.describedProtocol("g")).isEqualTo("range (delay 30000 ms)");

    stage.advance(4_000);
    assertThat(stage.describedProtocol("g")).isEqualTo("range (delay 26000 ms)");

    stage.join("g", "b", true, "t");
    assertThat(stage.describedProtocol("g")).as("while preparing").isEqualTo("(delay 26000 ms)");
    stage.join("g", "a", false, "t");
    stage.sync("g", "a", 2, 5_000);
    stage.sync("g", "b", 2, 60_000);
    assertThat(stage.describedProtocol("g"))
        .as("the leader's word alone counts")
        .isEqualTo("range (delay 5000 ms)");

    stage.advance(5_000);
    assertThat(stage.describedProtocol("g")).isEqualTo("range");
  }

  @Test
  void aDelayIsNotDescribedAnyMoreWhenTheGroupLeaderOrACoordinatorDoesNotKnowOfIt() {
    stage.join("g", "a", true, "t");
    stage.advance(100);
    stage.sync("g", "a", 1, 30_000);

    stage.join("g", "a", false, "t");
    stage.sync("g", "a", 2, 0);
    assertThat(stage.describedProtocol("g")).as("who was waited for is back").isEqualTo("range");

    stage.join("g", "a", false, "t");
    stage.sync("g", "a", 3, 30_000);
    stage.restart();
    assertThat(stage.describedProtocol("g")).as("after a takeover").isEqualTo("range");

    stage.join("g", "a", false, "t");
    stage.advance(100);
    stage.sync("g", "a", stage.describe("g").orElseThrow().generation(), 30_000);
    assertThat(stage.describedProtocol("g")).isEqualTo("range (delay 30000 ms)");
    stage.leave("g", "a");
    assertThat(stage.describedProtocol("g")).as("of an empty group").isEmpty();
  }

  @Test
  void aGroupThatNobodyKnowsIsNotMadeByDeletingIt() {
    assertThat(stage.delete("g")).containsExactly(plain(GROUP_ID_NOT_FOUND));
    assertThat(stage.deleteOffsets("g", T0)).containsExactly(plain(GROUP_ID_NOT_FOUND));
    assertThat(stage.shard.size()).isZero();
  }

  @Test
  void aDeletionIsAnsweredWhenTheStoreHasForgottenTheGroup() {
    stage.commit("g", T0, 1);
    stage.store.holding = true;
    List<Answer> deletion = stage.delete("g");

    assertThat(deletion).isEmpty();
    assertThat(stage.list()).isEmpty();
    assertThat(stage.heartbeat("g", "a", 1)).as("as while it is read").isEqualTo(NONE);
    assertThat(stage.commit("g", T0, 2)).isEqualTo(COORDINATOR_LOAD_IN_PROGRESS);
    assertThat(stage.delete("g")).containsExactly(plain(COORDINATOR_LOAD_IN_PROGRESS));

    stage.store.release();
    stage.runLoop();

    assertThat(deletion).containsExactly(plain(NONE));
    assertThat(stage.store.groups).isEmpty();
    assertThat(stage.offsets("g")).isEmpty();
    assertThat(stage.delete("g")).containsExactly(plain(GROUP_ID_NOT_FOUND));
    assertThat(stage.commit("g", T0, 2)).as("a new group").isEqualTo(NONE);
  }

  @Test
  void whoResignsDuringADeletionSaysSo() {
    stage.commit("g", T0, 1);
    stage.store.holding = true;
    List<Answer> deletion = stage.delete("g");

    stage.standing = Standing.RESIGNED;
    stage.shard.standingChanged();
    stage.store.release();
    stage.runLoop();

    assertThat(deletion).containsExactly(plain(NOT_COORDINATOR));
  }

  @Test
  void aDeletedGroupDoesNotComeBackWithTheNextCoordinator() {
    stage.stable("g", "a", "t");
    stage.commit("g", "a", 1, T0, 1);
    stage.leave("g", "a");
    stage.delete("g");

    stage.restart();

    assertThat(stage.list()).isEmpty();
    assertThat(stage.offsets("g")).isEmpty();
  }

  @Test
  void aGroupWhosePositionsWereDeletedIsStillThere() {
    stage.commit("g", T0, 1);
    stage.commit("g", T1, 2);

    assertThat(stage.deleteOffsets("g", T0, T1))
        .containsExactly(new Answer.OffsetsDeleted(NONE, Set.of()));

    assertThat(stage.offsets("g")).isEmpty();
    assertThat(stage.store.groups.get(new GroupId("g")).offsets()).isEmpty();
    assertThat(stage.list()).containsExactly("g Empty");
    assertThat(stage.delete("g")).containsExactly(plain(NONE));
    assertThat(stage.store.groups).isEmpty();
  }

  @Test
  void positionsOfASubscribedTopicStay() {
    stage.stable("g", "a", "t");
    stage.commit("g", "a", 1, T0, 1);

    assertThat(stage.deleteOffsets("g", T0))
        .containsExactly(new Answer.OffsetsDeleted(NONE, Set.of("t")));
    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 1L));
  }

  @Test
  void aCommitOfAGenerationToAGroupOfPositionsAloneIsByAMemberItDoesNotKnow() {
    assertThat(stage.commit("g", "a", 1, T0, 1)).isEqualTo(GROUP_ID_NOT_FOUND);
    stage.commit("g", T0, 1);
    assertThat(stage.commit("g", "a", 1, T0, 2)).isEqualTo(UNKNOWN_MEMBER_ID);
    stage.restart();
    assertThat(stage.commit("g", "a", 1, T0, 2)).isEqualTo(UNKNOWN_MEMBER_ID);
  }
}
