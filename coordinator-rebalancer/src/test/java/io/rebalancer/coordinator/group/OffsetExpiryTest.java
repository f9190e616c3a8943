package io.rebalancer.coordinator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.TopicPartition;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Retention is 1,000 ms; t is subscribed wherever there are members, u is not. */
class OffsetExpiryTest {

  private static final TopicPartition T = new TopicPartition("t", 0);
  private static final TopicPartition U = new TopicPartition("u", 0);
  private static final Map<TopicPartition, CommittedOffset> STORED = Map.of(T, at(100), U, at(200));

  private final Groups groups = new Groups();

  private static CommittedOffset at(long timestampMs) {
    return new CommittedOffset(7, -1, "", timestampMs);
  }

  private static Set<TopicPartition> expired(GroupState group, OptionalLong since, long nowMs) {
    return OffsetExpiry.expired(group, since, STORED, nowMs, 1_000);
  }

  @ParameterizedTest
  @EnumSource(
      value = GroupPhase.class,
      names = {"PREPARING_REBALANCE", "COMPLETING_REBALANCE", "DEAD"})
  void nothingExpiresUnlessTheGroupIsSettled(GroupPhase phase) {
    assertThat(expired(groups.in(phase), OptionalLong.of(0), 1_000_000)).isEmpty();
  }

  @Test
  void ofAStableGroupTopicsThatNobodyWantsExpireAfterTheirLastCommit() {
    assertThat(expired(groups.stable(), OptionalLong.of(0), 1_199)).isEmpty();
    assertThat(expired(groups.stable(), OptionalLong.of(0), 1_200)).containsExactly(U);
    assertThat(expired(groups.stable(), OptionalLong.of(0), 1_000_000)).containsExactly(U);
  }

  @Test
  void ofAStableGroupOfAnotherKindNothingDoes() {
    GroupState connect =
        GroupState.restored(
            new GroupId("g"),
            new HardState(1, "connect", "range", "a", groups.stable().hard().members()));

    assertThat(expired(connect, OptionalLong.of(0), 1_000_000)).isEmpty();
  }

  @Test
  void ofAnEmptyGroupEverythingExpiresAfterItsLastMemberWent() {
    assertThat(expired(groups.empty(), OptionalLong.of(5_000), 5_999)).isEmpty();
    assertThat(expired(groups.empty(), OptionalLong.of(5_000), 6_000))
        .containsExactlyInAnyOrder(T, U);
  }

  @Test
  void whereItIsNotKnownWhenThatWasTheLastCommitsCount() {
    assertThat(expired(groups.empty(), OptionalLong.empty(), 1_100)).containsExactly(T);
  }

  @Test
  void ofAGroupThatNeverHadMembersTheLastCommitsCount() {
    assertThat(expired(Groups.unknown(), OptionalLong.of(5_000), 1_100)).containsExactly(T);
    assertThat(expired(Groups.unknown(), OptionalLong.of(0), 1_099)).isEmpty();
  }

  @Test
  void aTimeThatTheClientSaidGoesBeforeTheRetention() {
    Map<TopicPartition, CommittedOffset> stored =
        Map.of(
            T, new CommittedOffset(7, -1, "", 100, 150),
            U, new CommittedOffset(7, -1, "", 100, 9_000));

    assertThat(OffsetExpiry.expired(groups.empty(), OptionalLong.of(100), stored, 149, 1_000))
        .isEmpty();
    assertThat(OffsetExpiry.expired(groups.empty(), OptionalLong.of(100), stored, 8_999, 1_000))
        .containsExactly(T);
    assertThat(OffsetExpiry.expired(groups.empty(), OptionalLong.of(100), stored, 9_000, 1_000))
        .containsExactlyInAnyOrder(T, U);
  }
}
