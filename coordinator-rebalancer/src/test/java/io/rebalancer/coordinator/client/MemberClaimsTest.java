package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.JOINING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.SendJoin;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a member's Joins say of what it owned, and when it joins again for what was withheld. */
class MemberClaimsTest {

  private static final MemberId M = new MemberId("m-uuid");
  private static final Assignment FOUR = share(0, 4);
  private static final Assignment TWO = share(0, 2);
  private static final Assignment OTHERS = share(4, 2);

  private final MemberState inTwoRounds = state(true);
  private final MemberState inOne = state(false);

  private static Assignment share(int first, int count) {
    return Assignment.of("t", PartitionSet.range(first, count));
  }

  private static MemberState state(boolean twoRounds) {
    return new MemberState(twoRounds, Duration.ofSeconds(3), Duration.ofMillis(100));
  }

  @Test
  void whatWasGivenUpInOrderIsClaimedWithTheGenerationThatGaveIt() {
    stable(inOne);

    assertThat(claimed(toldAndRevoked(inOne))).isEqualTo(Claim.of(FOUR, 7));
  }

  @Test
  void aClaimOutlivesRoundsThatBringNothing() {
    stable(inOne);
    toldAndRevoked(inOne);
    joined(inOne, 8);

    List<MemberEffect> overrun =
        inOne.on(
            new MemberEvent.Synced(
                inOne.attempt, Errors.REBALANCE_IN_PROGRESS, Assignment.empty(), 0, false));

    assertThat(claimed(overrun)).isEqualTo(Claim.of(FOUR, 7));
    assertThat(inOne.phase).isEqualTo(JOINING);
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"})
  void aMembershipThatEndsWhileItJoinsIsNoClaimAnyMore(Errors error) {
    stable(inOne);
    toldAndRevoked(inOne);

    inOne.on(new MemberEvent.Joined(inOne.attempt, error, -1, null, null));

    assertThat(claimed(inOne.on(new MemberEvent.TimerFired(MemberTimer.RETRY))))
        .isEqualTo(Claim.of(FOUR, 7).lost());
  }

  @Test
  void aMemberThatGotNothingClaimsThatItGotNothing() {
    stable(inOne);
    toldAndRevoked(inOne);
    given(inOne, 8, Assignment.empty());
    inOne.on(new MemberEvent.ListenerReturned(false));

    inOne.on(new MemberEvent.Told(8, Errors.REBALANCE_IN_PROGRESS, 99));

    assertThat(inOne.claim).isEqualTo(Claim.of(Assignment.empty(), 8));
  }

  @Test
  void aMemberJoinsAgainWithoutWhatWasWithheld() {
    stable(inTwoRounds);
    toldAndRevoked(inTwoRounds);
    given(inTwoRounds, 8, TWO);

    List<MemberEffect> started = acts(inTwoRounds.on(new MemberEvent.ListenerReturned(false)));
    List<MemberEffect> revoked = acts(inTwoRounds.on(new MemberEvent.ListenerReturned(false)));

    assertThat(started)
        .containsExactly(
            new EndAttempt(2, false, true, FOUR, TWO),
            new BeginAttempt(3, "withheld"),
            new CallListener(ListenerCall.REVOKED, TWO));
    assertThat(revoked)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, TWO, 8), new SendJoin(3, M, Claim.of(TWO, 8)));
  }

  @Test
  void aMemberThatIsGivenAllItClaimsDoesNotJoinAgain() {
    stable(inTwoRounds);
    toldAndRevoked(inTwoRounds);
    given(inTwoRounds, 8, TWO);
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));

    given(inTwoRounds, 9, TWO.plus(OTHERS));
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));

    assertThat(inTwoRounds.phase).isEqualTo(STABLE);
    assertThat(inTwoRounds.owned).isEqualTo(TWO.plus(OTHERS));
  }

  @Test
  void whatWasLostWasNotClaimedAndIsNotWaitedFor() {
    stable(inTwoRounds);
    inTwoRounds.on(new MemberEvent.Told(7, Errors.ILLEGAL_GENERATION, 99));
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));

    given(inTwoRounds, 9, TWO);
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));

    assertThat(inTwoRounds.phase).isEqualTo(STABLE);
  }

  @Test
  void inOneRoundLessThanWasClaimedIsTheShare() {
    stable(inOne);
    toldAndRevoked(inOne);
    given(inOne, 8, TWO);

    inOne.on(new MemberEvent.ListenerReturned(false));

    assertThat(inOne.phase).isEqualTo(STABLE);
  }

  @Test
  void aMemberWhoseListenerFailsSaysWhatItSaidBefore() {
    stable(inOne);
    toldAndRevoked(inOne);
    given(inOne, 8, TWO);

    inOne.on(new MemberEvent.ListenerReturned(true));

    assertThat(claimed(inOne.on(new MemberEvent.TimerFired(MemberTimer.RETRY))))
        .isEqualTo(Claim.of(FOUR, 7));
  }

  @Test
  void aMemberWhoseListenerFailsHoldsUpNobodysSecondRound() {
    stable(inTwoRounds);
    toldAndRevoked(inTwoRounds);
    given(inTwoRounds, 8, TWO);

    inTwoRounds.on(new MemberEvent.ListenerReturned(true));

    assertThat(claimed(inTwoRounds.on(new MemberEvent.TimerFired(MemberTimer.RETRY))))
        .isEqualTo(Claim.of(TWO, 8));
  }

  @ParameterizedTest
  @EnumSource(
      value = Errors.class,
      names = {"ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"})
  void whatIsLostWhileTheListenerStartsIsNotClaimed(Errors error) {
    stable(inTwoRounds);
    toldAndRevoked(inTwoRounds);
    given(inTwoRounds, 8, FOUR.plus(OTHERS));

    inTwoRounds.on(new MemberEvent.Told(8, error, 99));
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));

    assertThat(claimed(inTwoRounds.on(new MemberEvent.ListenerReturned(false))))
        .isEqualTo(Claim.of(FOUR, 7).lost());
  }

  @Test
  void closeComesBeforeTheSecondRound() {
    stable(inTwoRounds);
    toldAndRevoked(inTwoRounds);
    given(inTwoRounds, 8, TWO);

    inTwoRounds.on(new MemberEvent.CloseRequested());
    inTwoRounds.on(new MemberEvent.ListenerReturned(false));

    assertThat(acts(inTwoRounds.on(new MemberEvent.ListenerReturned(false))))
        .containsExactly(
            new WriteLedger(Kind.REVOKED, TWO, 8), new MemberEffect.SendLeave(M, false));
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

  private static List<MemberEffect> acts(List<MemberEffect> effects) {
    return effects.stream()
        .filter(effect -> !(effect instanceof MemberEffect.CancelTimer))
        .toList();
  }
}
