package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.SimulatedGroup.share;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.assignor.member.GroupInput;
import io.rebalancer.core.assignor.member.GroupInput.Member;
import io.rebalancer.core.assignor.member.UniformAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The group leader's decision by itself. Member {@code x-1} goes by the name {@code x}. */
class DelayDecisionTest {

  private static final long DELAY = 60_000;
  private static final DelayState SIX_WERE_GIVEN =
      new DelayState(7, 0, List.of(), share(1, 2, 3, 4, 5, 6));

  private final List<Member> members = new ArrayList<>();
  private final Map<MemberId, String> names = new HashMap<>();
  private final Map<MemberId, Parked> last = new HashMap<>();

  private void member(String id, Integer... owns) {
    members.add(Member.of(id, Set.of("t")).owning(share(owns), owns.length == 0 ? -1 : 7));
    names.put(new MemberId(id), id.replaceAll("-.*", ""));
  }

  private void had(String id, Integer... partitions) {
    last.put(new MemberId(id), new Parked("", id.replaceAll("-.*", ""), share(partitions)));
  }

  private DelayDecision.Decision decide(DelayState carried, int partitions) {
    return DelayDecision.decide(
        new DelayDecision.Input(
            new UniformAssignor(),
            GroupInput.of(Map.of("t", PartitionSet.range(1, partitions)), members),
            names,
            carried,
            last,
            DELAY));
  }

  private static Map<MemberId, Assignment> shares(Object... idsAndShares) {
    Map<MemberId, Assignment> shares = new HashMap<>();
    for (int i = 0; i < idsAndShares.length; i += 2) {
      shares.put(new MemberId((String) idsAndShares[i]), (Assignment) idsAndShares[i + 1]);
    }
    return shares;
  }

  @Test
  void whatAVanishedMemberHadIsParkedUnderItsName() {
    member("a-1", 1, 2);
    member("c-1", 3, 6);
    had("a-1", 1, 2);
    had("b-1", 4, 5);
    had("c-1", 3, 6);

    DelayDecision.Decision decision = decide(SIX_WERE_GIVEN, 6);

    assertThat(decision.shares()).isEqualTo(shares("a-1", share(1, 2), "c-1", share(3, 6)));
    assertThat(decision.state())
        .isEqualTo(
            new DelayState(
                -1, DELAY, List.of(new Parked("", "b", share(4, 5))), share(1, 2, 3, 6)));
  }

  @Test
  void aLeaderThatDidNotLeadTheLastGenerationParksItUnderNoName() {
    member("a-1", 1, 2);
    member("c-1", 3, 6);

    DelayDecision.Decision decision = decide(SIX_WERE_GIVEN, 6);

    assertThat(decision.state().parked()).containsExactly(new Parked("", "", share(4, 5)));
    assertThat(decision.state().delayMs()).isEqualTo(DELAY);
  }

  @Test
  void aMemberThatIsBackInTheSameRoundUnderAnotherIdGetsWhatItHadAtOnce() {
    member("a-1", 1, 2);
    member("b-2");
    member("c-1", 3, 6);
    had("a-1", 1, 2);
    had("b-1", 4, 5);
    had("c-1", 3, 6);

    DelayDecision.Decision decision = decide(SIX_WERE_GIVEN, 6);

    assertThat(decision.shares())
        .isEqualTo(shares("a-1", share(1, 2), "b-2", share(4, 5), "c-1", share(3, 6)));
    assertThat(decision.state().parked()).isEmpty();
  }

  @Test
  void aMemberThatIsThereAndHasOnlyLostItsShareGetsItBackAtOnce() {
    member("a-1", 1, 2, 3);
    member("b-1");
    had("a-1", 1, 2, 3);
    had("b-1", 4, 5, 6);

    assertThat(decide(SIX_WERE_GIVEN, 6).shares())
        .isEqualTo(shares("a-1", share(1, 2, 3), "b-1", share(4, 5, 6)));
  }

  @Test
  void aNameThatAnotherMemberHasTooIdentifiesNobody() {
    member("a-1", 1, 2);
    member("a-3", 3, 6);
    had("a-1", 1, 2);
    had("a-2", 4, 5);
    had("a-3", 3, 6);

    DelayDecision.Decision decision = decide(SIX_WERE_GIVEN, 6);

    assertThat(decision.state().parked()).containsExactly(new Parked("", "", share(4, 5)));
  }

  @Test
  void whoVanishesDuringADelayWaitsForWhatIsLeftOfIt() {
    member("a-1", 1, 2);
    had("a-1", 1, 2);
    had("c-1", 3, 6);
    Parked first = new Parked("", "b", share(4, 5));

    DelayDecision.Decision decision =
        decide(new DelayState(7, 1_234, List.of(first), share(1, 2, 3, 6)), 6);

    assertThat(decision.state().delayMs()).isEqualTo(1_234);
    assertThat(decision.state().parked()).containsExactly(first, new Parked("", "c", share(3, 6)));
  }

  @Test
  void whoVanishesAsTheDelayEndsWaitsForADelayOfItsOwnAndNobodyIsTakenAnything() {
    member("a-1", 1, 2);
    member("b-2");
    had("a-1", 1, 2);
    had("b-2");
    had("c-1", 3, 6);

    DelayDecision.Decision decision =
        decide(
            new DelayState(7, 0, List.of(new Parked("", "b", share(4, 5))), share(1, 2, 3, 6)), 6);

    assertThat(decision.shares()).isEqualTo(shares("a-1", share(1, 2), "b-2", share(4, 5)));
    assertThat(decision.state().parked()).containsExactly(new Parked("", "c", share(3, 6)));
    assertThat(decision.state().delayMs()).isEqualTo(DELAY);
  }

  @Test
  void aGroupOfWhichNobodyClaimsAnythingDoesNotWait() {
    member("a-2");
    member("b-2");
    had("x-1", 1, 2, 3, 4, 5, 6);

    DelayDecision.Decision decision = decide(SIX_WERE_GIVEN, 6);

    assertThat(decision.state().parked()).isEmpty();
    assertThat(decision.shares().values())
        .allSatisfy(share -> assertThat(share.size()).isEqualTo(3));
  }

  @Test
  void partitionsThatNoLongerExistAreNotWaitedFor() {
    member("a-1", 1, 2);

    DelayDecision.Decision decision =
        decide(new DelayState(7, 500, List.of(new Parked("", "b", share(4, 5))), share(1, 2)), 3);

    assertThat(decision.state().parked()).isEmpty();
    assertThat(decision.state().delayMs()).isZero();
    assertThat(decision.shares()).isEqualTo(shares("a-1", share(1, 2, 3)));
  }

  @Test
  void theStateIsReadBackAsItWasWritten() {
    DelayState state =
        new DelayState(7, 9_000, List.of(new Parked("i", "b", share(4, 5))), share(1, 2, 3, 6));

    byte[] subscription = DelayData.ofSubscription("a", state);

    assertThat(new String(DelayData.ofAssignment(state), UTF_8))
        .isEqualTo(
            "{\"format\":1,\"delayMs\":9000,\"parked\":[{\"instance\":\"i\",\"member\":\"b\","
                + "\"partitions\":{\"t\":\"4-5\"}}],\"given\":{\"t\":\"1-3,6\"}}");
    assertThat(DelayData.read(ByteBuffer.wrap(subscription)))
        .isEqualTo(new DelayData.Said("a", state));
    assertThat(DelayData.read(null)).isEqualTo(DelayData.Said.NOTHING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "{}", "{\"format\":1,\"given\":{\"t\":\"4-\"}}", "[1]"})
  void bytesThatAreNoDelayAreRefused(String bytes) {
    assertThatThrownBy(() -> DelayData.read(ByteBuffer.wrap(bytes.getBytes(UTF_8))))
        .isInstanceOf(RuntimeException.class);
  }
}
