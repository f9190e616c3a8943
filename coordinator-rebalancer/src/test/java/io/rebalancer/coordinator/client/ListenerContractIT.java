package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rebalancer.coordinator.metrics.MemberMetrics;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.testkit.OwnershipLedger;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an application and its listener may count on, and what counts on them, over a socket. */
class ListenerContractIT {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Assignment ALL = Assignment.of("t", PartitionSet.range(0, 4));
  private static final Map<TopicPartition, Long> POSITION = Map.of(new TopicPartition("t", 1), 5L);

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final List<CoordinatorRebalanceEngine> engines = new ArrayList<>();
  private final List<String> leaves = new CopyOnWriteArrayList<>();
  private final List<String> joins = new CopyOnWriteArrayList<>();
  private final List<Integer> commits = new CopyOnWriteArrayList<>();
  private ScriptedCoordinator server;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedCoordinator();
    server.on(
        ApiKeys.LEAVE_GROUP,
        request -> {
          ((LeaveGroupRequestData) request).members().forEach(who -> leaves.add(who.reason()));
          return Optional.of(new LeaveGroupResponseData());
        });
    server.on(
        ApiKeys.JOIN_GROUP,
        request -> {
          joins.add(((JoinGroupRequestData) request).reason());
          return Optional.of(server.join((JoinGroupRequestData) request));
        });
    server.on(
        ApiKeys.OFFSET_COMMIT,
        request -> {
          commits.add(((OffsetCommitRequestData) request).generationIdOrMemberEpoch());
          return Optional.of(new OffsetCommitResponseData());
        });
  }

  @AfterEach
  void stop() throws IOException {
    engines.forEach(CoordinatorRebalanceEngine::close);
    server.close();
  }

  private CoordinatorClientConfig config() {
    return CoordinatorClientConfig.of(List.of(server.address()))
        .withSession(Duration.ofSeconds(10), Duration.ofMillis(100))
        .withTimeouts(Duration.ofMillis(400), Duration.ofSeconds(5));
  }

  private CoordinatedMember join(CoordinatorClientConfig config, OwnershipListener listener) {
    CoordinatorRebalanceEngine engine = new CoordinatorRebalanceEngine(config, ledger);
    engines.add(engine);
    return engine.join(
        new MemberConfig(new GroupId("g"), "a", Subscription.copyOf(Map.of("t", 1))), listener);
  }

  private static void owns(CoordinatedMember member, Assignment expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(member.assignment()).isEqualTo(expected));
  }

  private List<Kind> kinds() {
    return ledger.entries().stream().map(entry -> entry.kind()).toList();
  }

  private void tellOfARebalanceOnce() {
    AtomicInteger beats = new AtomicInteger();
    server.on(
        ApiKeys.HEARTBEAT,
        request ->
            Optional.of(
                new HeartbeatResponseData()
                    .setErrorCode(
                        beats.incrementAndGet() == 1 ? Errors.REBALANCE_IN_PROGRESS.code() : 0)));
  }

  @Test
  void e61AnApplicationThatStopsCallingKeepAliveLeavesTheGroupAndIsBackWithItsNextCall() {
    CoordinatedMember member = join(config(), OwnershipListener.none());
    owns(member, ALL);

    member.keepAlive();

    await().atMost(PATIENCE).until(member::away);
    await().atMost(PATIENCE).until(() -> !leaves.isEmpty());
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    assertThat(leaves)
        .containsExactly("the application has not called keepAlive() for max.poll.interval.ms");
    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.LOST);
    assertThatThrownBy(() -> member.commit(POSITION).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);

    member.keepAlive();

    owns(member, ALL);
    assertThat(member.away()).isFalse();
    assertThat(joins)
        .containsExactly(
            "joins for the first time",
            "joins for the first time",
            "is back after it was too slow",
            "is back after it was too slow");
  }

  @Test
  void anApplicationThatGoesOnCallingStaysAndOneThatNeverDoesTooAsLongAsItsListenerReturns() {
    CoordinatedMember member = join(config(), OwnershipListener.none());
    owns(member, ALL);
    await().during(Duration.ofMillis(500)).atMost(PATIENCE).until(() -> !member.away());

    await()
        .pollInterval(Duration.ofMillis(50))
        .during(Duration.ofMillis(700))
        .atMost(PATIENCE)
        .until(
            () -> {
              member.keepAlive();
              return !member.away();
            });

    assertThat(kinds()).containsExactly(Kind.ASSIGNED);
  }

  @Test
  void aListenerThatDoesNotReturnInTimeCostsTheMembershipUntilItDoes() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    AtomicInteger calls = new AtomicInteger();
    CoordinatedMember member =
        join(
            config(),
            new OwnershipListener() {
              @Override
              public void onAssigned(Assignment partitions) {
                if (calls.incrementAndGet() == 1) {
                  awaitUninterruptibly(stuck);
                }
              }
            });

    await().atMost(PATIENCE).until(member::away);
    await().atMost(PATIENCE).until(() -> !leaves.isEmpty());
    assertThat(leaves).containsExactly("its listener has not returned for max.poll.interval.ms");
    stuck.countDown();

    owns(member, ALL);
    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.LOST, Kind.ASSIGNED);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aListenerThatGoesOnThrowingIsToldOfOnceWithItsTraceAndCountedWhenItReturns() {
    AtomicInteger calls = new AtomicInteger();
    try (LogCapture log = LogCapture.of(ListenerCalls.class)) {
      join(
          config().withRetryBackoff(Duration.ofMillis(10), Duration.ofMillis(10)),
          new OwnershipListener() {
            @Override
            public void onAssigned(Assignment partitions) {
              if (calls.incrementAndGet() < 6) {
                throw new ArithmeticException("by zero");
              }
            }
          });
      await().atMost(PATIENCE).until(() -> log.messages().size() > 1);

      assertThat(calls).hasValue(6);
      assertThat(log.messages())
          .containsExactly(
              "WARN member a: the listener failed in onAssigned: java.lang.ArithmeticException: by"
                  + " zero",
              "WARN member a: the listener goes on, after 5 failures");
    }
  }

  @Test
  void theListenerCanCommitWhatIsRevokedFromIt() {
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    CompletableFuture<CoordinatedMember> self = new CompletableFuture<>();
    CoordinatedMember member =
        join(
            config(),
            new OwnershipListener() {
              @Override
              public void onRevoked(Assignment partitions) {
                try {
                  self.join().commit(POSITION).join();
                } catch (RuntimeException e) {
                  failures.add(e);
                }
              }
            });
    self.complete(member);
    owns(member, ALL);
    tellOfARebalanceOnce();

    await().atMost(PATIENCE).until(() -> kinds().size() == 3);
    member.close();

    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.REVOKED, Kind.ASSIGNED, Kind.REVOKED);
    assertThat(failures).isEmpty();
    assertThat(commits).containsExactly(1, 2);
  }

  @Test
  void theMeterIsToldOfAnsweredRequestsAndOfTheListenersCalls() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    MemberMetrics metrics = new MemberMetrics(registry, "a", "g");
    CoordinatorRebalanceEngine engine = new CoordinatorRebalanceEngine(config(), metrics, metrics);
    engines.add(engine);
    CoordinatedMember member =
        engine.join(
            new MemberConfig(new GroupId("g"), "a", Subscription.copyOf(Map.of("t", 1))),
            OwnershipListener.none());
    owns(member, ALL);

    member.commit(POSITION).get(5, TimeUnit.SECONDS);
    await().atMost(PATIENCE).until(() -> timed(registry, "heartbeat-response-time") > 0);
    member.close();

    assertThat(timed(registry, "join-time")).isEqualTo(2);
    assertThat(timed(registry, "sync-time")).isEqualTo(1);
    assertThat(timed(registry, "commit-latency")).isEqualTo(1);
    assertThat(timed(registry, "rebalance-latency")).isEqualTo(1);
    assertThat(timed(registry, "partition-assigned-latency")).isEqualTo(1);
    assertThat(timed(registry, "partition-revoked-latency")).isEqualTo(1);
    assertThat(timed(registry, "partition-lost-latency")).isZero();
  }

  private static long timed(SimpleMeterRegistry registry, String name) {
    return registry.get(MemberMetrics.KAFKAS + name).timer().count();
  }

  @Test
  void aCommitMadeWhileACooperativeMemberJoinsWaitsForTheNewGeneration() throws Exception {
    CoordinatedMember member =
        join(config().withAssignmentStrategy("uniform"), OwnershipListener.none());
    owns(member, ALL);
    CountDownLatch parked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    server.on(
        ApiKeys.JOIN_GROUP,
        request -> {
          parked.countDown();
          awaitUninterruptibly(answered);
          return Optional.of(server.join((JoinGroupRequestData) request));
        });
    tellOfARebalanceOnce();
    awaitUninterruptibly(parked);

    CompletableFuture<Void> commit = member.commit(POSITION);
    Assignment whileJoining = member.assignment();
    answered.countDown();
    commit.get(5, TimeUnit.SECONDS);

    assertThat(whileJoining).isEqualTo(ALL);
    assertThat(commits).containsExactly(2);
    assertThat(kinds()).containsExactly(Kind.ASSIGNED);
  }

  @Test
  void b057WhatALeaseHasEndedIsDeliveredNoMoreAndRefusedACommit() {
    CoordinatedMember member =
        join(
            config().withSession(Duration.ofMillis(900), Duration.ofMillis(100)),
            OwnershipListener.none());
    owns(member, ALL);
    server.on(ApiKeys.HEARTBEAT, request -> ScriptedCoordinator.SILENCE);
    server.on(ApiKeys.JOIN_GROUP, request -> ScriptedCoordinator.SILENCE);

    owns(member, Assignment.empty());

    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.LOST);
    assertThatThrownBy(() -> member.commit(POSITION).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("t-1 is not owned by a");
    assertThat(commits).isEmpty();
  }
}
