package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.MemberPhase.CONFIRMING;
import static io.rebalancer.coordinator.client.MemberPhase.STABLE;
import static io.rebalancer.coordinator.client.SimulatedGroup.sendJoin;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.coordinator.client.MemberEffect.BeginAttempt;
import io.rebalancer.coordinator.client.MemberEffect.CallListener;
import io.rebalancer.coordinator.client.MemberEffect.EndAttempt;
import io.rebalancer.coordinator.client.MemberEffect.SendHeartbeat;
import io.rebalancer.coordinator.client.MemberEffect.SendJoin;
import io.rebalancer.coordinator.client.MemberEffect.SendSync;
import io.rebalancer.coordinator.client.MemberEffect.WriteLedger;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** A member of a group whose coordinator assigns. */
class ServedMemberTest {

  private static final MemberId M = new MemberId("m-uuid");
  private static final Assignment FOUR = share(0, 4);
  private static final Assignment TWO = share(0, 2);
  private static final Assignment MOVED = share(2, 2);
  private static final Assignment OTHERS = share(4, 2);

  private MemberState state = member(true, true);

  private static Assignment share(int first, int count) {
    return Assignment.of("t", PartitionSet.range(first, count));
  }

  private static MemberState member(boolean cooperative, boolean claims) {
    return new MemberState(SimulatedGroup.rules(cooperative, claims, false, SimulatedGroup.WANTED));
  }

  /** Owns {@link #FOUR} in generation 7. */
  private void stable(MemberState member) {
    state = member;
    acts(new MemberEvent.Started());
    acts(new MemberEvent.Connected());
    acts(given(7, FOUR));
    acts(returned());
    assertThat(state.phase).isEqualTo(STABLE);
  }

  @Test
  void whatTheJoinsAnswerGivesIsOwnedAtOnceWithoutASync() {
    acts(new MemberEvent.Started());
    acts(new MemberEvent.Connected());

    assertThat(acts(given(7, FOUR)))
        .containsExactly(
            new WriteLedger(Kind.ASSIGNED, FOUR, 7), new CallListener(ListenerCall.ASSIGNED, FOUR));
    assertThat(acts(returned()))
        .containsExactly(new EndAttempt(1, false, false, Assignment.empty(), FOUR));
  }

  @Test
  void whatIsNotInTheAnswerIsRevokedAndTheMemberJoinsAgainAtOnceWithoutIt() {
    stable(member(true, true));

    List<MemberEffect> told = acts(told(Errors.REBALANCE_IN_PROGRESS));
    List<MemberEffect> answered = acts(given(8, TWO.plus(OTHERS)));
    List<MemberEffect> shed = acts(returned());

    assertThat(told)
        .containsExactly(new BeginAttempt(2, "told"), sendJoin(2, M, Claim.of(FOUR, 7)));
    assertThat(answered).containsExactly(new CallListener(ListenerCall.REVOKED, MOVED));
    assertThat(shed)
        .containsExactly(
            new WriteLedger(Kind.REVOKED, MOVED, 7),
            new WriteLedger(Kind.ASSIGNED, OTHERS, 8),
            new CallListener(ListenerCall.ASSIGNED, OTHERS));
    assertThat(acts(returned()))
        .containsExactly(
            new EndAttempt(2, false, true, FOUR, TWO.plus(OTHERS)),
            new BeginAttempt(3, "withheld"),
            sendJoin(3, M, Claim.of(TWO.plus(OTHERS), 8)));
  }

  @Test
  void aMemberOfAStrategyInOneRoundGoesOnWithWhatItClaimsThere() {
    stable(member(false, true));

    assertThat(acts(told(Errors.REBALANCE_IN_PROGRESS)))
        .containsExactly(new BeginAttempt(2, "told"), sendJoin(2, M, Claim.of(FOUR, 7)));
    assertThat(acts(given(8, TWO))).containsExactly(new CallListener(ListenerCall.REVOKED, MOVED));
  }

  @Test
  void aMemberOfAStrategyThatClaimsNothingGivesUpEverythingBeforeItJoins() {
    stable(member(false, false));

    assertThat(acts(told(Errors.REBALANCE_IN_PROGRESS)))
        .containsExactly(new BeginAttempt(2, "told"), new CallListener(ListenerCall.REVOKED, FOUR));
    assertThat(acts(returned()).get(0)).isEqualTo(new WriteLedger(Kind.REVOKED, FOUR, 7));
    assertThat(acts(given(8, FOUR)))
        .containsExactly(
            new WriteLedger(Kind.ASSIGNED, FOUR, 8), new CallListener(ListenerCall.ASSIGNED, FOUR));
  }

  @Test
  void anAnswerThatCameLateIsConfirmedByAHeartbeatBeforeItIsOwned() {
    stable(member(true, true));
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    assertThat(acts(joined(8, new MemberEvent.Joined.Part(FOUR.plus(OTHERS), 55, true))))
        .containsExactly(new SendHeartbeat(8, M));
    assertThat(state.phase).isEqualTo(CONFIRMING);
    assertThat(state.owned()).isEqualTo(FOUR);
    assertThat(acts(told(Errors.NONE)))
        .containsExactly(
            new WriteLedger(Kind.ASSIGNED, OTHERS, 8),
            new CallListener(ListenerCall.ASSIGNED, OTHERS));
  }

  @Test
  void whoeverOwnsNothingAnyMoreNamesTheGenerationOfTheLastAnswer() {
    stable(member(true, true));
    acts(told(Errors.REBALANCE_IN_PROGRESS));
    acts(given(8, Assignment.empty()));
    acts(returned()); // Of what it gives up.
    acts(returned()); // Of the empty share: it joins once more, so that all is free.
    acts(given(9, Assignment.empty()));
    acts(returned());

    assertThat(acts(told(Errors.REBALANCE_IN_PROGRESS)))
        .filteredOn(SendJoin.class::isInstance)
        .extracting(sent -> ((SendJoin) sent).claim())
        .containsExactly(Claim.of(Assignment.empty(), 9));
  }

  @Test
  void whatWasKeptIsLostWhenAGroupLeaderIsToAssignIt() {
    stable(member(false, true));
    acts(told(Errors.REBALANCE_IN_PROGRESS));

    assertThat(acts(joined(8, null)))
        .containsExactly(
            new WriteLedger(Kind.LOST, FOUR, 7),
            new CallListener(ListenerCall.LOST, FOUR),
            new SendSync(2, 8, M, Map.of()));
  }

  @Test
  void aNewMembershipIsThatOfAnyGroupUntilItsFirstAnswer() {
    stable(member(false, true));
    acts(told(Errors.UNKNOWN_MEMBER_ID));
    acts(returned());
    acts(joined(3, null));
    acts(new MemberEvent.Synced(state.attempt, Errors.NONE, FOUR, 55, false));
    acts(returned());

    assertThat(acts(told(Errors.REBALANCE_IN_PROGRESS)))
        .containsExactly(new BeginAttempt(3, "told"), new CallListener(ListenerCall.REVOKED, FOUR));
  }

  private MemberEvent given(int generation, Assignment share) {
    return joined(generation, new MemberEvent.Joined.Part(share, 55, false));
  }

  private MemberEvent joined(int generation, MemberEvent.Joined.Part part) {
    return new MemberEvent.Joined(
        Math.max(1, state.attempt), Errors.NONE, generation, M, null, false, part);
  }

  private MemberEvent told(Errors error) {
    return new MemberEvent.Told(state.generation, error, 99);
  }

  private static MemberEvent returned() {
    return new MemberEvent.ListenerReturned(false);
  }

  private List<MemberEffect> acts(MemberEvent event) {
    return MemberSteps.acts(state, event);
  }
}
