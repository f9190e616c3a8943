package io.rebalancer.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.group.CommittedOffset;
import io.rebalancer.coordinator.group.GroupError;
import io.rebalancer.coordinator.group.GroupEvent;
import io.rebalancer.coordinator.group.HardState;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Positions that nobody needs are kept for 100 s here, and looked for every second. */
class RetentionTest {

  private static final GroupId G = new GroupId("g");
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);
  private static final TopicPartition U0 = new TopicPartition("u", 0);

  private final ShardStage stage = new ShardStage(Duration.ofSeconds(100), Duration.ofSeconds(1));

  private void beat(int seconds) {
    for (int i = 0; i < seconds; i += 5) {
      assertThat(stage.heartbeat("g", "a", 1)).isEqualTo(GroupError.NONE);
      stage.advance(5_000);
    }
  }

  @Test
  void aGroupAndItsPositionsGoWhenItWasEmptyForTheRetention() {
    stage.stable("g", "a", "t");
    stage.commit("g", "a", 1, T0, 500);
    beat(300);
    stage.leave("g", "a");

    stage.advance(99_000);
    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 500L));
    assertThat(stage.list()).containsExactly("g Empty");

    stage.advance(2_000);
    assertThat(stage.offsets("g")).isEmpty();
    assertThat(stage.list()).isEmpty();
    assertThat(stage.store.groups).isEmpty();
  }

  @Test
  void ofALiveGroupOnlyTopicsThatNobodyWantsGo() {
    stage.stable("g", "a", "t");
    stage.commit("g", "a", 1, T0, 500);
    stage.commit("g", "a", 1, U0, 7);
    beat(95);
    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 500L, "u-0", 7L));

    beat(10);

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 500L));
    assertThat(stage.store.groups.get(G).offsets().keySet()).containsExactly(T0);
    assertThat(stage.list()).containsExactly("g Stable");
  }

  @Test
  void ofAGroupWithoutMembersEachPositionHasItsOwnTime() {
    stage.commit("g", T0, 1);
    stage.advance(50_000);
    stage.commit("g", T1, 2);

    stage.advance(51_000);
    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 2L));

    stage.advance(50_000);
    assertThat(stage.list()).isEmpty();
    assertThat(stage.store.groups).isEmpty();
  }

  @Test
  void positionsThatDoNotMoveAreKeptByBeingCommittedAndSeldomWritten() {
    for (int i = 0; i < 60; i++) {
      assertThat(stage.commit("g", T0, 1)).isEqualTo(GroupError.NONE);
      stage.advance(5_000);
    }

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 1L));
    assertThat(stage.store.offsetWrites).as("one in 10 s, a tenth of the retention").isEqualTo(30);

    stage.advance(96_000);
    assertThat(stage.offsets("g")).isEmpty();
  }

  @Test
  void sinceWhenAGroupIsEmptySurvivesTheCoordinator() {
    stage.stable("g", "a", "t");
    stage.commit("g", "a", 1, T0, 500);
    beat(300);
    stage.leave("g", "a");
    stage.advance(60_000);

    stage.restart();
    stage.advance(39_000);
    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 500L));

    stage.advance(2_000);
    assertThat(stage.store.groups).isEmpty();
  }

  @Test
  void whereTheStoreDoesNotSayTheLastCommitCounts() {
    long now = stage.wall.millis();
    stage.store.groups.put(
        G,
        new StoredGroup(
            new HardState(3, "consumer", "", "", Map.of()),
            Map.of(
                T0, new CommittedOffset(1, -1, "", now - 99_500),
                T1, new CommittedOffset(2, -1, "", now)),
            OptionalLong.empty()));
    stage.restart();

    stage.advance(2_000);

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-1", 2L));
    assertThat(stage.list()).containsExactly("g Empty");
  }

  @Test
  void anEmptyGroupWithoutPositionsGoesAtTheNextCheck() {
    stage.stable("g", "a", "t");
    stage.leave("g", "a");
    assertThat(stage.list()).containsExactly("g Empty");

    stage.advance(1_500);

    assertThat(stage.list()).isEmpty();
    assertThat(stage.store.groups).isEmpty();
  }

  @Test
  void nothingGoesWhileZookeeperIsOutOfReach() {
    stage.commit("g", T0, 1);
    stage.standing = Standing.SUSPENDED;
    stage.advance(200_000);
    assertThat(stage.store.groups.get(G).offsets()).hasSize(1);

    stage.standing = Standing.SERVING;
    stage.advance(1_500);

    assertThat(stage.store.groups).isEmpty();
  }

  @Test
  void aCommitThatIsBeingWrittenKeepsItsPartition() {
    stage.commit("g", T0, 1);
    stage.advance(99_000);
    stage.store.holding = true;
    assertThat(
            stage.ask(
                "g",
                RequestKind.COMMIT,
                request ->
                    new GroupEvent.CommitRequested(
                        request,
                        "",
                        "",
                        -1,
                        Map.of(T0, new CommittedOffset(2, -1, "", stage.wall.millis())))))
        .isEmpty();
    stage.advance(5_000);

    stage.store.release();
    stage.runLoop();

    assertThat(stage.offsets("g")).isEqualTo(Map.of("t-0", 2L));
  }

  /** The failure case, figure for figure: retention 5 s, check 1 s. */
  @Test
  void b083NothingIsCleanedUpWhileTheGroupRebalances() {
    ShardStage quick = new ShardStage(Duration.ofSeconds(5), Duration.ofSeconds(1));
    quick.stable("g", "a", "t");
    HardState stored = quick.store.groups.get(G).state();
    long anHourAgo = quick.wall.millis() - Duration.ofHours(1).toMillis();
    quick.store.groups.put(
        G,
        new StoredGroup(
            stored,
            Map.of(
                T0, new CommittedOffset(500, -1, "", anHourAgo),
                T1, new CommittedOffset(700, -1, "", anHourAgo),
                U0, new CommittedOffset(900, -1, "", anHourAgo)),
            OptionalLong.of(anHourAgo)));
    quick.restart();
    quick.join("g", "b", true, "t");
    assertThat(quick.list()).containsExactly("g PreparingRebalance");

    for (int i = 0; i < 4; i++) {
      assertThat(quick.heartbeat("g", "a", 1)).isEqualTo(GroupError.REBALANCE_IN_PROGRESS);
      quick.advance(4_750);
    }
    assertThat(quick.list()).containsExactly("g PreparingRebalance");
    assertThat(quick.offsets("g"))
        .as("who wants u is not known yet")
        .isEqualTo(Map.of("t-0", 500L, "t-1", 700L, "u-0", 900L));
    quick.join("g", "a", false, "t");
    quick.sync("g", "a", 3);
    assertThat(quick.list()).containsExactly("g Stable");
    quick.advance(2_000);
    assertThat(quick.offsets("g")).as("nobody wants u").isEqualTo(Map.of("t-0", 500L, "t-1", 700L));

    quick.leave("g", "b");
    quick.leave("g", "a");
    assertThat(quick.list()).containsExactly("g Empty");
    quick.advance(4_000);
    assertThat(quick.offsets("g")).isEqualTo(Map.of("t-0", 500L, "t-1", 700L));
    quick.advance(2_500);
    assertThat(quick.store.groups).isEmpty();
  }
}
