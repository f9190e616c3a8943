package io.rebalancer.zk.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RangeAssignor;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.OwnershipLedger;
import io.rebalancer.core.time.Ticker;
import io.rebalancer.zk.protocol.ConsumerSettings;
import io.rebalancer.zk.protocol.RebalancePlanner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The member's two threads against a registry that does what the test says. */
class ZkMemberTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Assignment BOTH = Assignment.of("t", PartitionSet.range(0, 2));

  private final MemberId self = new MemberId("g_c1");
  private final FakeRegistry registry = new FakeRegistry(self);
  private final OwnershipLedger ledger = new OwnershipLedger();
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final CountDownLatch unblock = new CountDownLatch(1);
  private ZkMember member = newMember(OwnershipListener.none());

  private ZkMember newMember(OwnershipListener listener) {
    return newMember(listener, false, Duration.ZERO);
  }

  private ZkMember newMember(OwnershipListener listener, boolean strict, Duration check) {
    return new ZkMember(
        new MemberConfig(new GroupId("g"), "c1", Subscription.copyOf(Map.of("t", 1))),
        new ConsumerSettings(
            self,
            new RebalancePlanner(new RangeAssignor()),
            3,
            Duration.ofMillis(1),
            Duration.ofMillis(1),
            false,
            strict),
        new WatchRules(false, true, false, false, Set.of(), check),
        new OffsetRules(true, Duration.ofMillis(1), true, null),
        listener,
        registry,
        new Witness("c1", ledger, Ticker.system()));
  }

  @AfterEach
  void close() {
    unblock.countDown();
    member.close();
  }

  private List<Kind> kinds() {
    return ledger.entries().stream().map(LedgerEntry::kind).toList();
  }

  private void awaitAttempts(int count) {
    await().atMost(LIMIT).until(() -> ledger.all(Observation.AttemptEnded.class).size() == count);
  }

  @Test
  void anErrorOfTheListenerFailsTheAttemptAndEndsNobody() {
    AtomicInteger calls = new AtomicInteger();
    member =
        newMember(
            new OwnershipListener() {
              @Override
              public void onAssigned(Assignment partitions) {
                if (calls.getAndIncrement() == 0) {
                  throw new StackOverflowError("planted");
                }
              }
            });

    member.start(LIMIT);
    awaitAttempts(2);

    assertThat(ledger.all(Observation.AttemptEnded.class))
        .extracting(Observation.AttemptEnded::failed)
        .containsExactly(true, false);
    assertThat(member.assignment()).isEqualTo(BOTH);
    assertThat(member.isGone()).isFalse();
  }

  @Test
  void d9WhatWasClaimedBeforeAnExceptionStaysAndIsNotInTheRegistry() {
    registry.failingClaims.set(1);

    member.start(LIMIT);
    awaitAttempts(2);

    assertThat(member.assignment()).isEqualTo(BOTH);
    assertThat(kinds())
        .containsExactly(
            Kind.CLAIMED, // Partition 0, before the exception: never released.
            Kind.CLAIMED,
            Kind.CLAIMED,
            Kind.ASSIGNED,
            Kind.ASSIGNED);
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void d9StrictGivesBackWhatWasClaimedBeforeAnException() {
    member = newMember(OwnershipListener.none(), true, Duration.ZERO);
    registry.failingClaims.set(1);

    member.start(LIMIT);
    awaitAttempts(2);

    assertThat(member.assignment()).isEqualTo(BOTH);
    assertThat(kinds())
        .containsExactly(
            Kind.CLAIMED, Kind.RELEASED, Kind.CLAIMED, Kind.CLAIMED, Kind.ASSIGNED, Kind.ASSIGNED);
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void b032StrictFindsAChangeThatNoWatchToldOfOnce() {
    member = newMember(OwnershipListener.none(), true, Duration.ofMillis(20));
    member.start(LIMIT);
    awaitAttempts(1);

    registry.sighting = new GroupRegistry.Sighting("/seen", true, 1, 2);
    await()
        .atMost(LIMIT)
        .until(() -> ledger.all(Observation.WatchRepaired.class).size() == 2); // ids and the topic

    int looks = registry.looks.get();
    await().atMost(LIMIT).until(() -> registry.looks.get() > looks + 20);
    assertThat(ledger.all(Observation.WatchRepaired.class)).hasSize(2);
    assertThat(ledger.all(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .startsWith("join", "members");
  }

  @Test
  void b032StrictTakesAChangeThatAWatchTellsOfForNothingElse() {
    member = newMember(OwnershipListener.none(), true, Duration.ofMillis(20));
    member.start(LIMIT);
    awaitAttempts(1);

    registry.sighting = new GroupRegistry.Sighting("/seen", true, 1, 2);
    registry.fire(WatchTarget.MEMBERS);
    registry.fire(WatchTarget.topic("t"));
    int looks = registry.looks.get();
    await().atMost(LIMIT).until(() -> registry.looks.get() > looks + 20);

    assertThat(ledger.all(Observation.WatchRepaired.class)).isEmpty();
  }

  @Test
  void everyEffectOfARebalanceIsInTheLedgerInOrder() {
    member.start(LIMIT);
    awaitAttempts(1);

    registry.fire(WatchTarget.MEMBERS);
    awaitAttempts(2);
    member.close();

    assertThat(kinds())
        .containsExactly(
            Kind.CLAIMED,
            Kind.CLAIMED,
            Kind.ASSIGNED,
            Kind.ASSIGNED,
            Kind.REVOKED,
            Kind.RELEASED,
            Kind.RELEASED,
            Kind.CLAIMED,
            Kind.CLAIMED,
            Kind.ASSIGNED,
            Kind.ASSIGNED,
            Kind.REVOKED);
    assertThat(registry.closed).isTrue();
    assertThat(registry.owners).hasSize(2); // They go with the session, not one by one.
  }

  @Test
  void aNewSessionIsRegisteredAndRebalancedBeforeFurtherEventsAreDelivered() {
    member.start(LIMIT);
    awaitAttempts(1);

    registry.renewSession();
    awaitAttempts(4);

    assertThat(registry.registrations).hasValue(2);
    assertThat(ledger.all(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("join", "session", "members", "topic");
    assertThat(kinds().get(4)).isEqualTo(Kind.LOST);
    assertThat(ledger.check().violations()).isEmpty();
  }

  @Test
  void aMemberThatCannotRegisterAgainStaysOutAndItsRebalancesFail() {
    member.start(LIMIT);
    awaitAttempts(1);
    registry.refusesRegistration = true;

    registry.renewSession();
    await().atMost(LIMIT).until(() -> !ledger.all(Observation.GaveUp.class).isEmpty());

    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    assertThat(ledger.all(Observation.AttemptEnded.class).stream().skip(1))
        .allMatch(Observation.AttemptEnded::failed);
  }

  @Test
  void aRefusedStartClosesTheSession() {
    registry.refusesRegistration = true;

    assertThatThrownBy(() -> member.start(LIMIT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("/consumers/g/ids/g_c1: held by another");

    await().atMost(LIMIT).until(() -> registry.closed);
    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void aCrashSaysLostOnceAndNothingAfterIt() throws Exception {
    member = newMember(blockingInRevoke());
    member.start(LIMIT);
    awaitAttempts(1);
    registry.fire(WatchTarget.MEMBERS);
    assertThat(blocked.await(10, TimeUnit.SECONDS)).isTrue();

    member.crash();
    unblock.countDown();
    member.crash();
    member.close();

    await().atMost(LIMIT).until(member::isGone);
    assertThat(kinds())
        .containsExactly(Kind.CLAIMED, Kind.CLAIMED, Kind.ASSIGNED, Kind.ASSIGNED, Kind.LOST);
    assertThat(ledger.all(Observation.AttemptEnded.class)).hasSize(1);
    assertThat(registry.crashed).isTrue();
    assertThat(registry.closed).isFalse();
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
  }

  private OwnershipListener blockingInRevoke() {
    return new OwnershipListener() {
      @Override
      public void onRevoked(Assignment partitions) {
        blocked.countDown();
        boolean waiting = true;
        while (waiting) {
          try {
            unblock.await();
            waiting = false;
          } catch (InterruptedException e) {
            // A listener that does not care.
          }
        }
      }
    };
  }
}
