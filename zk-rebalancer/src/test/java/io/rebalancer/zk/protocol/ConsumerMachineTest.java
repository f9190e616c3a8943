package io.rebalancer.zk.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.FencingToken;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.zk.protocol.ConsumerState.Holding;
import io.rebalancer.zk.protocol.ConsumerState.Renewal;
import io.rebalancer.zk.protocol.ConsumerState.Round;
import io.rebalancer.zk.protocol.ConsumerState.Signals;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Phase by event: the whole state and the exact effects. */
class ConsumerMachineTest {

  private static final MemberId SELF = new MemberId("g_c1");
  private static final TopicPartition T0 = new TopicPartition("t", 0);
  private static final TopicPartition T1 = new TopicPartition("t", 1);
  private static final Assignment NOTHING = Assignment.empty();
  private static final Assignment BOTH = Assignment.of("t", PartitionSet.range(0, 2));
  private static final SortedMap<TopicPartition, FencingToken> NODES =
      new TreeMap<>(Map.of(T0, FencingToken.ofOwnerNode(70), T1, FencingToken.ofOwnerNode(71)));
  private static final RebalancePlan PLAN =
      RebalancePlan.copyOf(Map.of(T0, new ThreadId(SELF, 0), T1, new ThreadId(SELF, 0)));
  private static final Duration BACKOFF = Duration.ofMillis(2_000);
  private static final Duration WAIT = Duration.ofMillis(6_000);
  private static final GroupView ALONE =
      GroupView.copyOf(
          Map.of(SELF, Subscription.copyOf(Map.of("t", 1))), Map.of("t", PartitionSet.range(0, 2)));

  private final ConsumerMachine machine =
      new ConsumerMachine(
          new ConsumerSettings(
              SELF, new RebalancePlanner(new RangeAssignor()), 2, BACKOFF, WAIT, false, false));

  private static ConsumerState state(Phase phase, Holding holding, Round round, Signals signals) {
    return new ConsumerState(phase, holding, round, signals);
  }

  private static final Holding OWNING = new Holding(NODES, BOTH);
  private static final Round FIRST =
      new Round(1, 1, Trigger.JOIN, NOTHING, RebalancePlan.nothing(), "");
  private static final Round SECOND_TRY =
      new Round(2, 2, Trigger.JOIN, NOTHING, RebalancePlan.nothing(), "");

  private static final Signals QUIET = Signals.NONE;
  private static final Signals CLOSING = new Signals(null, false, Renewal.NONE, true);
  private static final Signals FLAGGED = new Signals(Trigger.MEMBERS, true, Renewal.NONE, false);

  private void expect(Step step, ConsumerState state, ConsumerEffect... effects) {
    assertThat(step.state()).isEqualTo(state);
    assertThat(step.effects()).containsExactly(effects);
  }

  private Step on(ConsumerState state, ConsumerEvent event) {
    return machine.step(state, event);
  }

  private static ConsumerEffect.ReportOutcome outcome(
      Round round, String failure, boolean superseded, Assignment after) {
    return new ConsumerEffect.ReportOutcome(
        round.attempts(), failure, superseded, round.before(), after);
  }

  @Test
  void startRegistersBeforeAnyWatchIsSet() {
    Step started = on(ConsumerState.initial(), new ConsumerEvent.Started());
    expect(
        started,
        state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, QUIET),
        new ConsumerEffect.Register());

    Step registered = on(started.state(), new ConsumerEvent.Registered());
    expect(
        registered,
        state(Phase.SUBSCRIBING, Holding.NOTHING, Round.NONE, QUIET),
        new ConsumerEffect.ReportStart(""),
        new ConsumerEffect.Subscribe());

    expect(
        on(registered.state(), new ConsumerEvent.Subscribed()),
        state(Phase.READING_BROKERS, Holding.NOTHING, FIRST, QUIET),
        new ConsumerEffect.ReportAttempt(1, Trigger.JOIN),
        new ConsumerEffect.ReadBrokers());
  }

  @Test
  void aRefusedRegistrationEndsTheMember() {
    expect(
        on(
            state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, QUIET),
            new ConsumerEvent.RegistrationFailed("taken")),
        state(Phase.LEAVING, Holding.NOTHING, Round.NONE, QUIET),
        new ConsumerEffect.ReportStart("taken"),
        new ConsumerEffect.Leave());
  }

  @Test
  void aCloseDuringTheRegistrationLeavesAfterIt() {
    Step asked =
        on(
            state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, QUIET),
            new ConsumerEvent.CloseRequested());
    expect(asked, state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, CLOSING));

    expect(
        on(asked.state(), new ConsumerEvent.Registered()),
        state(Phase.LEAVING, Holding.NOTHING, Round.NONE, CLOSING),
        new ConsumerEffect.ReportStart(""),
        new ConsumerEffect.Leave());
  }

  @Test
  void anAttemptStopsProcessingThenReleasesEverythingThenReads() {
    Round round = new Round(1, 1, Trigger.MEMBERS, BOTH, RebalancePlan.nothing(), "");

    Step brokers =
        on(state(Phase.READING_BROKERS, OWNING, round, QUIET), new ConsumerEvent.BrokersRead(3));
    expect(brokers, state(Phase.REVOKING, OWNING, round, QUIET), new ConsumerEffect.Revoke(BOTH));

    Step revoked = on(brokers.state(), new ConsumerEvent.Revoked());
    expect(
        revoked,
        state(Phase.RELEASING, new Holding(NODES, NOTHING), round, QUIET),
        new ConsumerEffect.Release(NODES));

    expect(
        on(revoked.state(), new ConsumerEvent.Released()),
        state(Phase.READING_GROUP, Holding.NOTHING, round, QUIET),
        new ConsumerEffect.ReadGroup());
  }

  @Test
  void whatIsPlannedIsClaimedAfterItsOffsetsAreRead() {
    Step read =
        on(
            state(Phase.READING_GROUP, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.GroupRead(ALONE));
    Round planned = FIRST.planning(PLAN);
    expect(
        read,
        state(Phase.READING_OFFSETS, Holding.NOTHING, planned, QUIET),
        new ConsumerEffect.ReadOffsets(BOTH));

    Step offsets = on(read.state(), new ConsumerEvent.OffsetsRead());
    expect(
        offsets,
        state(Phase.CLAIMING, Holding.NOTHING, planned, QUIET),
        new ConsumerEffect.Claim(PLAN));

    Step claimed = on(offsets.state(), new ConsumerEvent.ClaimsTried(NODES, 0));
    expect(
        claimed, state(Phase.ASSIGNING, OWNING, planned, QUIET), new ConsumerEffect.Assign(NODES));

    expect(
        on(claimed.state(), new ConsumerEvent.Assigned()),
        state(Phase.READY, OWNING, planned, QUIET),
        outcome(planned, "", false, BOTH));
  }

  @Test
  void withoutBrokersTheAttemptSucceedsAndReleasesNothing() {
    Step none =
        on(state(Phase.READING_BROKERS, OWNING, FIRST, QUIET), new ConsumerEvent.BrokersRead(0));
    expect(
        none,
        state(Phase.READING_BROKERS, OWNING, FIRST, QUIET),
        new ConsumerEffect.WatchBrokers());

    expect(
        on(none.state(), new ConsumerEvent.BrokersWatched()),
        state(Phase.READY, OWNING, FIRST, QUIET),
        outcome(FIRST, "", false, BOTH));
  }

  @Test
  void oneLostClaimGivesAllBackAndBacksOff() {
    SortedMap<TopicPartition, FencingToken> won = new TreeMap<>(Map.of(T0, NODES.get(T0)));
    Step lost =
        on(
            state(Phase.CLAIMING, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.ClaimsTried(won, 1));
    Round failed = FIRST.failing("1 claims lost");
    expect(
        lost,
        state(Phase.GIVING_BACK, Holding.NOTHING, failed, QUIET),
        new ConsumerEffect.GiveBack(won));

    expect(
        on(lost.state(), new ConsumerEvent.GivenBack()),
        state(Phase.BACKING_OFF, Holding.NOTHING, failed, QUIET),
        outcome(failed, "1 claims lost", false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
  }

  @Test
  void afterTheBackOffItTriesAgainAndAfterTheLastItGivesUp() {
    expect(
        on(
            state(Phase.BACKING_OFF, Holding.NOTHING, FIRST.failing("x"), QUIET),
            new ConsumerEvent.BackoffEnded()),
        state(Phase.READING_BROKERS, Holding.NOTHING, SECOND_TRY, QUIET),
        new ConsumerEffect.ReportAttempt(2, Trigger.RETRY),
        new ConsumerEffect.ReadBrokers());

    expect(
        on(
            state(Phase.BACKING_OFF, Holding.NOTHING, SECOND_TRY, QUIET),
            new ConsumerEvent.BackoffEnded()),
        state(Phase.READY, Holding.NOTHING, SECOND_TRY, QUIET),
        new ConsumerEffect.ReportGaveUp());
  }

  @Test
  void triggersDuringAnAttemptBecomeOneFurtherRebalance() {
    ConsumerState assigning = state(Phase.ASSIGNING, OWNING, FIRST, QUIET);
    ConsumerState once = on(assigning, new ConsumerEvent.Triggered(Trigger.MEMBERS)).state();
    Step twice = on(once, new ConsumerEvent.Triggered(Trigger.TOPIC));
    expect(twice, state(Phase.ASSIGNING, OWNING, FIRST, FLAGGED));

    Round next = new Round(2, 1, Trigger.MEMBERS, BOTH, RebalancePlan.nothing(), "");
    expect(
        on(twice.state(), new ConsumerEvent.Assigned()),
        state(Phase.READING_BROKERS, OWNING, next, QUIET),
        outcome(FIRST, "", true, BOTH),
        new ConsumerEffect.ReportAttempt(2, Trigger.MEMBERS),
        new ConsumerEffect.ReadBrokers());
  }

  @Test
  void aTriggerWhileReadyStartsARebalanceAtOnce() {
    Round next = new Round(2, 1, Trigger.TOPIC, BOTH, RebalancePlan.nothing(), "");

    expect(
        on(state(Phase.READY, OWNING, FIRST, QUIET), new ConsumerEvent.Triggered(Trigger.TOPIC)),
        state(Phase.READING_BROKERS, OWNING, next, QUIET),
        new ConsumerEffect.ReportAttempt(2, Trigger.TOPIC),
        new ConsumerEffect.ReadBrokers());
  }

  @Test
  void aFailureBeforeTheReleaseStopsProcessingAndKeepsTheNodes() {
    Step failed =
        on(
            state(Phase.READING_BROKERS, OWNING, FIRST, QUIET),
            new ConsumerEvent.StepFailed("broker 2 vanished"));
    Round round = FIRST.failing("broker 2 vanished");
    expect(failed, state(Phase.STOPPING, OWNING, round, QUIET), new ConsumerEffect.Revoke(BOTH));

    expect(
        on(failed.state(), new ConsumerEvent.Revoked()),
        state(Phase.BACKING_OFF, new Holding(NODES, NOTHING), round, QUIET),
        outcome(round, "broker 2 vanished", false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
  }

  @Test
  void aListenerThatRefusesToStopFailsTheAttemptAndKeepsEverything() {
    Round round = FIRST.failing("no");

    expect(
        on(state(Phase.REVOKING, OWNING, FIRST, QUIET), new ConsumerEvent.StepFailed("no")),
        state(Phase.BACKING_OFF, OWNING, round, QUIET),
        outcome(round, "no", false, BOTH),
        new ConsumerEffect.BackOff(BACKOFF));
  }

  @Test
  void d9AnExceptionAmongTheClaimsRollsNothingBack() {
    Round round = FIRST.failing("no auth");

    expect(
        on(
            state(Phase.CLAIMING, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.ClaimsBroken(NODES, "no auth")),
        state(Phase.BACKING_OFF, Holding.NOTHING, round, QUIET),
        outcome(round, "no auth", false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
  }

  @Test
  void aViewWithoutOneselfFailsTheAttempt() {
    GroupView others =
        GroupView.copyOf(
            Map.of(new MemberId("g_c2"), Subscription.copyOf(Map.of("t", 1))), Map.of());
    Round round = FIRST.failing("members: [g_c2] (expected: g_c1 among them)");

    expect(
        on(
            state(Phase.READING_GROUP, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.GroupRead(others)),
        state(Phase.BACKING_OFF, Holding.NOTHING, round, QUIET),
        outcome(round, round.failure(), false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
  }

  @Test
  void anExpiryClearsTheRegistryRegistersAndRebalances() {
    Step renewed = on(state(Phase.READY, OWNING, FIRST, QUIET), new ConsumerEvent.SessionRenewed());
    expect(
        renewed,
        state(
            Phase.READY,
            Holding.NOTHING,
            FIRST,
            new Signals(null, true, Renewal.REGISTERING, false)),
        new ConsumerEffect.Lose(BOTH),
        new ConsumerEffect.Register());

    Round round = new Round(2, 1, Trigger.SESSION, NOTHING, RebalancePlan.nothing(), "");
    expect(
        on(renewed.state(), new ConsumerEvent.Registered()),
        state(Phase.READING_BROKERS, Holding.NOTHING, round, QUIET),
        new ConsumerEffect.ReportAttempt(2, Trigger.SESSION),
        new ConsumerEffect.ReadBrokers());

    expect(
        on(state(Phase.ASSIGNING, OWNING, round, QUIET), new ConsumerEvent.Assigned()),
        state(Phase.READY, OWNING, round.causedBy(Trigger.JOIN), QUIET),
        outcome(round, "", false, BOTH),
        new ConsumerEffect.ResumeDelivery());
  }

  @Test
  void anExpiryDuringAnAttemptWaitsForItsEnd() {
    Step renewed =
        on(
            state(Phase.CLAIMING, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.SessionRenewed());
    Step registered = on(renewed.state(), new ConsumerEvent.Registered());
    expect(
        registered,
        state(Phase.CLAIMING, Holding.NOTHING, FIRST, new Signals(null, true, Renewal.DUE, false)));

    Round round = new Round(2, 1, Trigger.SESSION, BOTH, RebalancePlan.nothing(), "");
    Step claimed = on(registered.state(), new ConsumerEvent.ClaimsTried(NODES, 0));
    expect(
        on(claimed.state(), new ConsumerEvent.Assigned()),
        state(Phase.READING_BROKERS, OWNING, round, QUIET),
        outcome(FIRST, "", true, BOTH),
        new ConsumerEffect.ReportAttempt(2, Trigger.SESSION),
        new ConsumerEffect.ReadBrokers());
  }

  @Test
  void otherTopicsForAWildcardAreARebalanceOfTheirOwnWhichDeliveriesWaitFor() {
    Step changed =
        on(state(Phase.ASSIGNING, OWNING, FIRST, FLAGGED), new ConsumerEvent.TopicsChanged());
    expect(
        changed,
        state(
            Phase.ASSIGNING,
            OWNING,
            FIRST,
            new Signals(Trigger.MEMBERS, true, Renewal.TOPICS_DUE, false)));

    Round topics = new Round(2, 1, Trigger.TOPICS, BOTH, RebalancePlan.nothing(), "");
    Step begun = on(changed.state(), new ConsumerEvent.Assigned());
    expect(
        begun,
        state(
            Phase.READING_BROKERS,
            OWNING,
            topics,
            new Signals(Trigger.MEMBERS, false, Renewal.NONE, false)),
        outcome(FIRST, "", true, BOTH),
        new ConsumerEffect.ReportAttempt(2, Trigger.TOPICS),
        new ConsumerEffect.ReadBrokers());

    ConsumerState last =
        state(Phase.ASSIGNING, OWNING, topics, new Signals(null, false, Renewal.NONE, false));
    expect(
        on(last, new ConsumerEvent.Assigned()),
        state(Phase.READY, OWNING, topics.causedBy(Trigger.JOIN), QUIET),
        outcome(topics, "", false, BOTH),
        new ConsumerEffect.ResumeDelivery());
  }

  @Test
  void aWildcardFollowsTheTopicsOnceItsFirstRebalanceHasEndedWell() {
    ConsumerMachine wildcard =
        new ConsumerMachine(
            new ConsumerSettings(
                SELF, new RebalancePlanner(new RangeAssignor()), 2, BACKOFF, WAIT, true, false));

    expect(
        wildcard.step(state(Phase.ASSIGNING, OWNING, FIRST, QUIET), new ConsumerEvent.Assigned()),
        state(Phase.READY, OWNING, FIRST, QUIET),
        outcome(FIRST, "", false, BOTH),
        new ConsumerEffect.FollowTopics());

    Round later = FIRST.causedBy(Trigger.MEMBERS);
    expect(
        wildcard.step(state(Phase.ASSIGNING, OWNING, later, QUIET), new ConsumerEvent.Assigned()),
        state(Phase.READY, OWNING, later, QUIET),
        outcome(later, "", false, BOTH));
  }

  @Test
  void anIdThatIsTakenIsTriedAgainAfterTheWaitAndAClosePutsAnEndToIt() {
    Step held =
        on(
            state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, QUIET),
            new ConsumerEvent.RegistrationHeld("held"));
    Round waiting = Round.NONE.nextTry();
    expect(
        held,
        state(Phase.REGISTRATION_HELD, Holding.NOTHING, waiting, QUIET),
        new ConsumerEffect.WaitToRegister(WAIT, "held"));

    expect(
        on(held.state(), new ConsumerEvent.RegistrationDue()),
        state(Phase.REGISTERING, Holding.NOTHING, waiting, QUIET),
        new ConsumerEffect.Register());
    expect(
        on(held.state(), new ConsumerEvent.CloseRequested()),
        state(Phase.LEAVING, Holding.NOTHING, waiting, CLOSING),
        new ConsumerEffect.ReportStart(""),
        new ConsumerEffect.Leave());
  }

  @Test
  void anIdThatIsStillTakenAfterAnExpiryIsTriedAgainToo() {
    Signals registering = new Signals(null, true, Renewal.REGISTERING, false);
    ConsumerState ready = state(Phase.READY, Holding.NOTHING, FIRST, registering);

    expect(
        on(ready, new ConsumerEvent.RegistrationHeld("held")),
        ready,
        new ConsumerEffect.WaitToRegister(WAIT, "held"));
    expect(on(ready, new ConsumerEvent.RegistrationDue()), ready, new ConsumerEffect.Register());
    ConsumerState done = state(Phase.READY, Holding.NOTHING, FIRST, QUIET);
    expect(on(done, new ConsumerEvent.RegistrationDue()), done);
  }

  private final ConsumerMachine strict =
      new ConsumerMachine(
          new ConsumerSettings(
              SELF, new RebalancePlanner(new RangeAssignor()), 2, BACKOFF, WAIT, false, true));

  @Test
  void aStrictOneBeginsAnewAfterItsLastTry() {
    Round third = new Round(3, 1, Trigger.RETRY, NOTHING, RebalancePlan.nothing(), "");

    expect(
        strict.step(
            state(Phase.BACKING_OFF, Holding.NOTHING, SECOND_TRY.failing("no"), QUIET),
            new ConsumerEvent.BackoffEnded()),
        state(Phase.READING_BROKERS, Holding.NOTHING, third, QUIET),
        new ConsumerEffect.ReportOverdue("no"),
        new ConsumerEffect.ReportAttempt(3, Trigger.RETRY),
        new ConsumerEffect.ReadBrokers());
  }

  @Test
  void aStrictOneLetsDeliveriesGoOnBeforeItBeginsAnew() {
    Round session = SECOND_TRY.causedBy(Trigger.SESSION).nextAttempt(NOTHING);
    Round last = session.nextAttempt(NOTHING).failing("no");

    Step step =
        strict.step(
            state(Phase.BACKING_OFF, Holding.NOTHING, last, FLAGGED),
            new ConsumerEvent.BackoffEnded());

    assertThat(step.effects())
        .containsExactly(
            new ConsumerEffect.ReportOverdue("no"),
            new ConsumerEffect.ResumeDelivery(),
            new ConsumerEffect.ReportAttempt(last.attempts() + 1, Trigger.MEMBERS),
            new ConsumerEffect.ReadBrokers());
  }

  @Test
  void aRegistrationThatIsGoneFailsTheAttemptAndAStrictOneRegistersAgain() {
    Round round = FIRST.failing("g_c1: its registration is gone");
    ConsumerState reading = state(Phase.READING_BROKERS, Holding.NOTHING, FIRST, QUIET);
    ConsumerState failed = state(Phase.BACKING_OFF, Holding.NOTHING, round, QUIET);

    expect(
        on(reading, new ConsumerEvent.RegistrationMissing()),
        failed,
        outcome(round, round.failure(), false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
    expect(
        strict.step(reading, new ConsumerEvent.RegistrationMissing()),
        failed,
        new ConsumerEffect.Register(),
        outcome(round, round.failure(), false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
    expect(strict.step(failed, new ConsumerEvent.Registered()), failed);
    expect(strict.step(failed, new ConsumerEvent.RegistrationFailed("held")), failed);
  }

  @Test
  void aStrictOneGivesBackWhatItClaimedBeforeAnException() {
    Step broken =
        strict.step(
            state(Phase.CLAIMING, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.ClaimsBroken(NODES, "no auth"));
    Round round = FIRST.failing("no auth");
    expect(
        broken,
        state(Phase.GIVING_BACK, new Holding(NODES, NOTHING), round, QUIET),
        new ConsumerEffect.GiveBack(NODES));

    expect(
        strict.step(broken.state(), new ConsumerEvent.GivenBack()),
        state(Phase.BACKING_OFF, Holding.NOTHING, round, QUIET),
        outcome(round, "no auth", false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
    Round again = round.failing("no auth either");
    expect(
        strict.step(broken.state(), new ConsumerEvent.StepFailed("no auth either")),
        state(Phase.BACKING_OFF, new Holding(NODES, NOTHING), again, QUIET),
        outcome(again, "no auth either", false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));
  }

  @Test
  void aStrictOneIsToldOfAnIdThatIsTakenAfterASessionAndAHalf() {
    ConsumerState state = state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, QUIET);
    for (int i = 0; i < 15; i++) {
      Step held = strict.step(state, new ConsumerEvent.RegistrationHeld("held"));
      assertThat(held.effects())
          .containsExactly(new ConsumerEffect.WaitToRegister(WAIT.dividedBy(10), "held"));
      state = strict.step(held.state(), new ConsumerEvent.RegistrationDue()).state();
    }

    Step refused = strict.step(state, new ConsumerEvent.RegistrationHeld("held"));

    assertThat(refused.state().phase()).isEqualTo(Phase.LEAVING);
    assertThat(refused.effects())
        .containsExactly(new ConsumerEffect.ReportStart("held"), new ConsumerEffect.Leave());
  }

  @Test
  void aStrictOneThatCannotRegisterAgainGoesOnTrying() {
    ConsumerState ready =
        state(
            Phase.READY,
            Holding.NOTHING,
            FIRST,
            new Signals(null, true, Renewal.REGISTERING, false));

    expect(
        strict.step(ready, new ConsumerEvent.RegistrationFailed("no auth")),
        ready,
        new ConsumerEffect.WaitToRegister(WAIT.dividedBy(10), "no auth"));
  }

  @Test
  void aStrictOneStopsWhenItsSessionMayHaveEndedAndWaitsForAConnectionInItsNextAttempt() {
    ConsumerState ready = state(Phase.READY, OWNING, FIRST, QUIET);
    expect(
        strict.step(ready, new ConsumerEvent.Disconnected(77)),
        ready,
        new ConsumerEffect.AwaitLapse(77));

    Round next = new Round(2, 1, Trigger.LOST, NOTHING, RebalancePlan.nothing(), "");
    expect(
        strict.step(ready, new ConsumerEvent.SessionLapsed()),
        state(Phase.READING_BROKERS, new Holding(NODES, NOTHING), next, QUIET),
        new ConsumerEffect.Lose(BOTH),
        new ConsumerEffect.ReportAttempt(2, Trigger.LOST),
        new ConsumerEffect.ReadBrokers());
  }

  @Test
  void aLapseInAnAttemptFailsItAndOneInTheRegistrationRepeatsIt() {
    Round round = FIRST.failing("its ZooKeeper session may have ended");
    expect(
        strict.step(
            state(Phase.READING_BROKERS, OWNING, FIRST, QUIET), new ConsumerEvent.SessionLapsed()),
        state(Phase.BACKING_OFF, new Holding(NODES, NOTHING), round, QUIET),
        new ConsumerEffect.Lose(BOTH),
        outcome(round, round.failure(), false, NOTHING),
        new ConsumerEffect.BackOff(BACKOFF));

    ConsumerState registering = state(Phase.REGISTERING, Holding.NOTHING, Round.NONE, QUIET);
    expect(
        strict.step(registering, new ConsumerEvent.SessionLapsed()),
        registering,
        new ConsumerEffect.Register());
    ConsumerState leaving = state(Phase.LEAVING, new Holding(NODES, NOTHING), FIRST, CLOSING);
    expect(
        strict.step(leaving, new ConsumerEvent.SessionLapsed()),
        leaving,
        new ConsumerEffect.Leave());
    ConsumerState again =
        state(
            Phase.BACKING_OFF,
            Holding.NOTHING,
            FIRST,
            new Signals(null, true, Renewal.REGISTERING, false));
    expect(
        strict.step(again, new ConsumerEvent.SessionLapsed()),
        again,
        new ConsumerEffect.Register());
  }

  @Test
  void aFailedReRegistrationLeavesTheMemberOutWithoutNotice() {
    Signals registering = new Signals(null, true, Renewal.REGISTERING, false);

    expect(
        on(
            state(Phase.READY, Holding.NOTHING, FIRST, registering),
            new ConsumerEvent.RegistrationFailed("stale node")),
        state(Phase.READY, Holding.NOTHING, FIRST, new Signals(null, true, Renewal.NONE, false)),
        new ConsumerEffect.ResumeDelivery());
  }

  @Test
  void aCloseStopsProcessingAndLeavesTheNodesToTheSession() {
    Step closing = on(state(Phase.READY, OWNING, FIRST, QUIET), new ConsumerEvent.CloseRequested());
    expect(closing, state(Phase.LEAVING, OWNING, FIRST, CLOSING), new ConsumerEffect.Revoke(BOTH));

    Step revoked = on(closing.state(), new ConsumerEvent.Revoked());
    expect(
        revoked,
        state(Phase.LEAVING, new Holding(NODES, NOTHING), FIRST, CLOSING),
        new ConsumerEffect.Leave());

    expect(
        on(revoked.state(), new ConsumerEvent.Left()),
        state(Phase.GONE, new Holding(NODES, NOTHING), FIRST, CLOSING));
  }

  @Test
  void aCloseLetsTheRunningAttemptEndAndCutsABackOffShort() {
    expect(
        on(
            state(Phase.BACKING_OFF, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.CloseRequested()),
        state(Phase.LEAVING, Holding.NOTHING, FIRST, CLOSING),
        new ConsumerEffect.Leave());

    Step claiming =
        on(
            state(Phase.CLAIMING, Holding.NOTHING, FIRST, QUIET),
            new ConsumerEvent.CloseRequested());
    expect(claiming, state(Phase.CLAIMING, Holding.NOTHING, FIRST, CLOSING));

    expect(
        on(state(Phase.ASSIGNING, OWNING, FIRST, CLOSING), new ConsumerEvent.Assigned()),
        state(Phase.LEAVING, OWNING, FIRST, CLOSING),
        outcome(FIRST, "", false, BOTH),
        new ConsumerEffect.Revoke(BOTH));
  }

  @Test
  void anAttemptLooksForACloseOnceItHasReadTheOffsets() {
    Round round = FIRST.failing("closing");

    expect(
        on(
            state(Phase.READING_OFFSETS, Holding.NOTHING, FIRST, CLOSING),
            new ConsumerEvent.OffsetsRead()),
        state(Phase.LEAVING, Holding.NOTHING, round, CLOSING),
        outcome(round, "closing", false, NOTHING),
        new ConsumerEffect.Leave());
  }

  @Test
  void whatComesTooLateChangesNothing() {
    ConsumerState ready = state(Phase.READY, OWNING, FIRST, QUIET);

    expect(on(ready, new ConsumerEvent.BackoffEnded()), ready);
    expect(on(ready, new ConsumerEvent.Assigned()), ready);
    expect(on(ready, new ConsumerEvent.StepFailed("x")), ready);
    ConsumerState gone = state(Phase.GONE, Holding.NOTHING, FIRST, CLOSING);
    expect(on(gone, new ConsumerEvent.SessionRenewed()), gone, new ConsumerEffect.ResumeDelivery());
    expect(on(gone, new ConsumerEvent.CloseRequested()), gone);
  }
}
