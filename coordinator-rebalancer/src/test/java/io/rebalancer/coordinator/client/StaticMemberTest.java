package io.rebalancer.coordinator.client;

import static io.rebalancer.coordinator.client.SimulatedGroup.rules;
import static io.rebalancer.coordinator.client.SimulatedGroup.share;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members with a {@code group.instance.id}. */
class StaticMemberTest {

  private static final Duration LONG = Duration.ofSeconds(9);
  private static final MemberId M = new MemberId("i-uuid");

  private static MemberState stable() {
    MemberState state = new MemberState(rules(false, true));
    state.on(new MemberEvent.Started());
    state.on(new MemberEvent.Connected());
    state.on(new MemberEvent.Joined(1, Errors.NONE, 7, M, null));
    state.on(new MemberEvent.Synced(1, Errors.NONE, share(1), 55, false));
    state.on(new MemberEvent.ListenerReturned(false));
    return state;
  }

  @Test
  void e62CloseSendsNoLeave() {
    MemberState state = stable();
    state.on(new MemberEvent.CloseRequested());

    assertThat(state.on(new MemberEvent.ListenerReturned(false)))
        .contains(new MemberEffect.End(null))
        .noneMatch(effect -> effect instanceof MemberEffect.SendLeave);
  }

  @Test
  void aMemberThatIsTooSlowSendsNoLeaveEither() {
    MemberState state = stable();

    assertThat(state.on(new MemberEvent.TimerFired(MemberTimer.POLL)))
        .contains(new MemberEffect.Disconnect())
        .noneMatch(effect -> effect instanceof MemberEffect.SendLeave);
    state.on(new MemberEvent.ListenerReturned(false));
    assertThat(state.on(new MemberEvent.Polled())).containsExactly(new MemberEffect.Seek());
  }

  @Test
  void aFencedMemberEndsAndSaysThatAnotherHasItsPlace() {
    MemberState state = stable();

    assertThat(state.on(new MemberEvent.Told(7, Errors.FENCED_INSTANCE_ID, 99)))
        .contains(
            new MemberEffect.CallListener(ListenerCall.LOST, share(1)),
            new MemberEffect.End(
                "FENCED_INSTANCE_ID (82): another member has joined with its group.instance.id and"
                    + " has its place now"));
  }

  /** The group leader too: it is told to skip the assignment (KIP-814). */
  @ParameterizedTest
  @ValueSource(strings = {"range", "sticky", "cooperative-sticky", "uniform", "weighted"})
  void e40AMemberThatRestartsWithinItsSessionGetsItsShareBackWithoutARebalance(String strategy) {
    SimulatedGroup group = new SimulatedGroup(strategy, 0, 6);
    for (String name : new String[] {"a", "b", "c"}) {
      group.joinStatic(name);
    }
    group.run(LONG);
    Map<String, Assignment> shares = group.shares();
    int generation = group.generation();

    for (String name : new String[] {"a", "b", "c"}) {
      int before = group.ledger.size();
      Assignment had = shares.get(name);
      group.crash(name);
      group.run(Duration.ofSeconds(1));
      group.joinStatic(name);
      group.run(LONG);

      assertThat(group.history(before))
          .filteredOn(line -> !line.contains("GRANTED"))
          .containsExactly(name + " LOST " + had, name + " ASSIGNED " + had);
    }

    assertThat(group.generation()).isEqualTo(generation);
    assertThat(group.shares()).isEqualTo(shares);
    assertThat(shares.values()).allSatisfy(share -> assertThat(share.size()).isEqualTo(2));
  }

  @Test
  void e41AMemberThatIsAwayForLongerThanItsSessionIsARebalance() {
    SimulatedGroup group = new SimulatedGroup("uniform", 0, 6);
    group.joinStatic("a");
    group.joinStatic("b");
    group.run(LONG);
    int generation = group.generation();

    group.crash("b");
    group.run(Duration.ofSeconds(20));

    assertThat(group.generation()).isEqualTo(generation + 1);
    assertThat(group.shares()).isEqualTo(Map.of("a", share(0, 1, 2, 3, 4, 5)));
  }

  @Test
  void ofTwoWithOneInstanceIdTheElderEndsAndTheYoungerHasItsShare() {
    SimulatedGroup group = new SimulatedGroup("uniform", 0, 6);
    SimulatedMember elder = group.joinStatic("a");
    group.run(LONG);

    group.joinStatic("a");
    group.run(LONG);

    assertThat(elder.state.phase).isEqualTo(MemberPhase.ENDED);
    assertThat(elder.state.owned()).isEqualTo(Assignment.empty());
    assertThat(group.shares()).isEqualTo(Map.of("a", share(0, 1, 2, 3, 4, 5)));
  }
}
