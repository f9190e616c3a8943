package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.SimulatedGroup.rules;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.SendJoin;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an eager member's Joins say of what it owned. */
class MemberClaimsTest {

  private static final MemberId M = new MemberId("m-uuid");
  private static final Assignment FOUR = share(0, 4);
  private static final Assignment TWO = share(0, 2);

  private final MemberState member = new MemberState(rules(false, false));

  private static Assignment share(int first, int count) {
    return Assignment.of("t", PartitionSet.range(first, count));
  }

  @Test
  void whatWasGivenUpInOrderIsClaimedWithTheGenerationThatGaveIt() {
    stable(member);

    assertThat(claimed(toldAndRevoked(member))).isEqualTo(Claim.of(FOUR, 7));
  }

  @Test
  void aClaimOutlivesRoundsThatBringNothing() {
    stable(member);
    toldAndRevoked(member);
    joined(member, 8);

    List<MemberEffect> overrun =
        member.on(
            new MemberEvent.Synced(
                member.attempt, Errors.REBALANCE_IN_PROGRESS, Assignment.empty(), 0, false));

    assertThat(claimed(overrun)).isEqualTo(Claim.of(FOUR, 7));
    assertThat(member.phase).isEqualTo(JOINING);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"})
  void aMembershipThatEndsWhileItJoinsIsNoClaimAnyMore(Errors error) {
    stable(member);
    toldAndRevoked(member);

    member.on(new MemberEvent.Joined(member.attempt, error, -1, null, null));

    assertThat(claimed(member.on(new MemberEvent.TimerFired(MemberTimer.RETRY))))
        .isEqualTo(Claim.of(FOUR, 7).lost());
  }

  @Test
  void aMemberThatGotNothingClaimsThatItGotNothing() {
    stable(member);
    toldAndRevoked(member);
    given(member, 8, Assignment.empty());
    member.on(new MemberEvent.ListenerReturned(false));

    member.on(new MemberEvent.Told(8, Errors.REBALANCE_IN_PROGRESS, 99));

    assertThat(member.holdings.claim).isEqualTo(Claim.of(Assignment.empty(), 8));
  }

  @Test
  void inOneRoundLessThanWasClaimedIsTheShare() {
    stable(member);
    toldAndRevoked(member);
    given(member, 8, TWO);

    member.on(new MemberEvent.ListenerReturned(false));

    assertThat(member.phase).isEqualTo(STABLE);
  }

  @Test
  void aMemberWhoseListenerFailsSaysWhatItSaidBefore() {
    stable(member);
    toldAndRevoked(member);
    given(member, 8, TWO);

    member.on(new MemberEvent.ListenerReturned(true));

    assertThat(claimed(member.on(new MemberEvent.TimerFired(MemberTimer.RETRY))))
        .isEqualTo(Claim.of(FOUR, 7));
  }

  /** Owns {@link #FOUR} in generation 7. */
  private static void stable(MemberState state) {
    state.on(new MemberEvent.Started());
    state.on(new MemberEvent.Connected());
    given(state, 7, FOUR);
    state.on(new MemberEvent.ListenerReturned(false));
    assertThat(state.phase).isEqualTo(STABLE);
  }

  private static List<MemberEffect> toldAndRevoked(MemberState state) {
    state.on(new MemberEvent.Told(state.generation, Errors.REBALANCE_IN_PROGRESS, 99));
    return state.on(new MemberEvent.ListenerReturned(false));
  }

  private static void joined(MemberState state, int generation) {
    state.on(new MemberEvent.Joined(state.attempt, Errors.NONE, generation, M, null));
  }

  private static void given(MemberState state, int generation, Assignment share) {
    joined(state, generation);
    state.on(new MemberEvent.Synced(state.attempt, Errors.NONE, share, 55, false));
  }

  private static Claim claimed(List<MemberEffect> effects) {
    return effects.stream()
        .filter(SendJoin.class::isInstance)
        .map(SendJoin.class::cast)
        .reduce((one, two) -> two)
        .orElseThrow()
        .claim();
  }
}
