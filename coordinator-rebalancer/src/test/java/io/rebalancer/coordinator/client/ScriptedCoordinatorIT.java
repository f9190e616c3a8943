package io.rebalancer.coordinator.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.ledger.LedgerEntry.Kind;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.model.TopicSelection;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.testkit.OwnershipLedger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The member client over a socket, against a server that misbehaves on command. */
class ScriptedCoordinatorIT {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Assignment ALL = Assignment.of("t", PartitionSet.range(0, 4));

  private final OwnershipLedger ledger = new OwnershipLedger();
  private final List<CoordinatorRebalanceEngine> engines = new ArrayList<>();
  private ScriptedCoordinator server;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedCoordinator();
  }

  @AfterEach
  void stop() throws IOException {
    engines.forEach(CoordinatorRebalanceEngine::close);
    server.close();
  }

  private static CoordinatorClientConfig config(InetSocketAddress... servers) {
    return CoordinatorClientConfig.of(List.of(servers))
        .withSession(Duration.ofSeconds(10), Duration.ofMillis(100))
        .withTimeouts(Duration.ofSeconds(60), Duration.ofSeconds(5));
  }

  private CoordinatedMember join(CoordinatorClientConfig config) {
    return join(config, OwnershipListener.none());
  }

  private CoordinatedMember join(CoordinatorClientConfig config, OwnershipListener listener) {
    return join(config, Subscription.copyOf(Map.of("t", 1)), listener);
  }

  private CoordinatedMember join(CoordinatorClientConfig config, WildcardSubscription pattern) {
    return join(config, pattern, OwnershipListener.none());
  }

  private CoordinatedMember join(
      CoordinatorClientConfig config, TopicSelection topics, OwnershipListener listener) {
    CoordinatorRebalanceEngine engine = new CoordinatorRebalanceEngine(config, ledger);
    engines.add(engine);
    return engine.join(new MemberConfig(new GroupId("g"), "a", topics), listener);
  }

  private static void owns(CoordinatedMember member, Assignment expected) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(member.assignment()).isEqualTo(expected));
  }

  private List<Kind> kinds() {
    return ledger.entries().stream().map(entry -> entry.kind()).toList();
  }

  @Test
  void aMemberByPatternAsksForAllTopicsBeforeEachJoinAndSaysOnceThatNoneMatches() {
    MetadataResponseData nothing = new MetadataResponseData();
    server.on(ApiKeys.METADATA, request -> Optional.of(nothing));
    try (LogCapture log = LogCapture.of(MatchLog.class)) {
      CoordinatedMember member =
          join(
              config(server.address()).withMetadataMaxAge(Duration.ofMillis(50)),
              new WildcardSubscription(TopicFilter.whiteList("t.*"), 1));
      await().atMost(PATIENCE).until(() -> server.count(ApiKeys.METADATA) > 5);
      assertThat(server.seen())
          .filteredOn(api -> api != ApiKeys.HEARTBEAT)
          .startsWith(
              ApiKeys.API_VERSIONS,
              ApiKeys.FIND_COORDINATOR,
              ApiKeys.METADATA,
              ApiKeys.JOIN_GROUP,
              ApiKeys.JOIN_GROUP,
              ApiKeys.METADATA,
              ApiKeys.SYNC_GROUP,
              ApiKeys.METADATA);
      assertThat(server.count(ApiKeys.SYNC_GROUP)).isOne();

      server.on(ApiKeys.METADATA, request -> Optional.of(ScriptedCoordinator.topicOfFour()));
      owns(member, ALL);
      assertThat(server.count(ApiKeys.SYNC_GROUP)).isEqualTo(2);

      assertThat(log.messages())
          .containsExactly(
              "WARN member a of group g has no topics, as none is let through by WHITE_LIST t.*;"
                  + " it waits for one");
    }
  }

  @Test
  void aMemberThatIsToldNothingOfTopicsKeepsThose() {
    CoordinatedMember member =
        join(
            config(server.address()).withMetadataMaxAge(Duration.ofMillis(50)),
            new WildcardSubscription(TopicFilter.whiteList("t.*"), 1));
    owns(member, ALL);

    server.on(
        ApiKeys.METADATA,
        request ->
            Optional.of(
                new MetadataResponseData().setErrorCode(Errors.REBOOTSTRAP_REQUIRED.code())));
    long connections = server.count(ApiKeys.API_VERSIONS);

    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.API_VERSIONS) >= connections + 2);
    assertThat(member.assignment()).isEqualTo(ALL);
    assertThat(server.count(ApiKeys.SYNC_GROUP)).isOne();
  }

  @Test
  void requestsComeInTheOrderOfTheProtocolOverOneConnection() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);

    member.close();

    assertThat(server.seen())
        .filteredOn(api -> api != ApiKeys.HEARTBEAT)
        .containsExactly(
            ApiKeys.API_VERSIONS,
            ApiKeys.FIND_COORDINATOR,
            ApiKeys.JOIN_GROUP,
            ApiKeys.JOIN_GROUP,
            ApiKeys.METADATA,
            ApiKeys.SYNC_GROUP,
            ApiKeys.LEAVE_GROUP);
    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.REVOKED);
  }

  @Test
  void aServerThatKnowsOnlyOlderApiVersionsIsAskedAgainInItsOwn() {
    server.knowApiVersionsUpTo(2);

    CoordinatedMember member = join(config(server.address()));

    owns(member, ALL);
    assertThat(server.apiVersionsSeen()).containsExactly(4, 2);
  }

  @Test
  void aServerThatOffersNoJoinEndsTheMemberWithItsReason() {
    server.on(
        ApiKeys.API_VERSIONS,
        request ->
            Optional.of(ScriptedCoordinator.versions(ApiKeys.API_VERSIONS, ApiKeys.METADATA)));

    CoordinatedMember member = join(config(server.address()));

    await().atMost(PATIENCE).until(() -> member.failure().isPresent());
    assertThat(member.failure().get())
        .contains("UNSUPPORTED_VERSION (35)", "FindCoordinator is not offered");
  }

  @Test
  void aRefusalForGoodIsSeenOnTheMemberAndEndsIt() {
    server.on(
        ApiKeys.JOIN_GROUP,
        request ->
            Optional.of(
                new JoinGroupResponseData().setErrorCode(Errors.GROUP_MAX_SIZE_REACHED.code())));

    CoordinatedMember member = join(config(server.address()));

    await().atMost(PATIENCE).until(() -> member.failure().isPresent());
    assertThat(member.failure().get()).startsWith("GROUP_MAX_SIZE_REACHED (81)");
    assertThatThrownBy(() -> member.commit(Map.of()).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class);
    member.close();
  }

  @Test
  void anUnreachableServerIsSaidAtOnceAndTheNextOneIsAsked() throws IOException {
    InetSocketAddress nobody = nobody();
    InetSocketAddress nowhere = InetSocketAddress.createUnresolved("nosuch.invalid", 9092);

    assertThatThrownBy(() -> join(config(nobody, nowhere)))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage(
            "no coordinator of group g: localhost:"
                + nobody.getPort()
                + ": Connection refused; nosuch.invalid:9092: unknown host");
    owns(join(config(nobody, server.address())), ALL);
  }

  @Test
  void thatThereIsNoCoordinatorIsSaidOnceWithAddressesAndReasonsAndOnceThatThereIsOne()
      throws IOException {
    server.on(
        ApiKeys.FIND_COORDINATOR,
        request -> Optional.of(server.coordinator(request, Errors.COORDINATOR_NOT_AVAILABLE)));
    try (LogCapture log = LogCapture.of(ContactLog.class)) {
      CoordinatedMember member = join(quick(nobody(), server.address()));
      await().atMost(PATIENCE).until(() -> server.count(ApiKeys.FIND_COORDINATOR) > 4);
      assertThat(ledger.all(Observation.MemberJoined.class)).isEmpty();
      server.on(
          ApiKeys.FIND_COORDINATOR,
          request -> Optional.of(server.coordinator(request, Errors.NONE)));
      owns(member, ALL);

      assertThat(log.messages())
          .hasSize(2)
          .first(InstanceOfAssertFactories.STRING)
          .startsWith(
              "WARN member a of group g is without a coordinator, and goes on seeking one:"
                  + " localhost:")
          .contains(": Connection refused; localhost:" + server.address().getPort() + ": ")
          .endsWith(Errors.COORDINATOR_NOT_AVAILABLE.message());
      assertThat(log.messages())
          .last()
          .isEqualTo(
              "WARN member a of group g has a coordinator: localhost:"
                  + server.address().getPort());
      assertThat(ledger.all(Observation.MemberJoined.class))
          .extracting(Observation.MemberJoined::id)
          .containsExactly("a-1");
    }
  }

  /** A connection and an answer to every search, and yet nobody who takes it. */
  @Test
  void aServerThatRefusesEveryJoinForNowIsNoCoordinatorAndThatIsSaidOnce() {
    server.on(
        ApiKeys.JOIN_GROUP,
        request ->
            Optional.of(
                new JoinGroupResponseData()
                    .setErrorCode(
                        server.count(ApiKeys.JOIN_GROUP) % 2 == 0
                            ? Errors.NOT_COORDINATOR.code()
                            : Errors.UNKNOWN_SERVER_ERROR.code())));
    try (LogCapture log = LogCapture.of(ContactLog.class)) {
      join(quick(server.address()));
      await().atMost(PATIENCE).until(() -> server.count(ApiKeys.JOIN_GROUP) > 5);

      assertThat(log.messages())
          .containsExactly(
              "WARN member a of group g is without a coordinator, and goes on seeking one:"
                  + " localhost:"
                  + server.address().getPort()
                  + ": JoinGroup was answered with UNKNOWN_SERVER_ERROR (-1)");
      assertThat(ledger.all(Observation.MemberJoined.class)).isEmpty();
    }
  }

  private static CoordinatorClientConfig quick(InetSocketAddress... servers) {
    return config(servers).withRetryBackoff(Duration.ofMillis(10), Duration.ofMillis(20));
  }

  private static InetSocketAddress nobody() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), free.getLocalPort());
    }
  }

  @Test
  void aRequestThatIsNotAnsweredCostsTheConnection() {
    AtomicBoolean silent = new AtomicBoolean(true);
    server.on(
        ApiKeys.FIND_COORDINATOR,
        request ->
            silent.getAndSet(false)
                ? ScriptedCoordinator.SILENCE
                : Optional.of(server.coordinator(request, Errors.NONE)));

    CoordinatedMember member =
        join(config(server.address()).withTimeouts(Duration.ofSeconds(60), Duration.ofMillis(200)));

    owns(member, ALL);
    assertThat(server.count(ApiKeys.API_VERSIONS)).isEqualTo(2);
  }

  @Test
  void bytesThatAreNotKafkasCostTheConnectionAndNothingElse() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);

    try (LogCapture log = LogCapture.of(ContactLog.class)) {
      server.talkGarbage(true);
      await().atMost(PATIENCE).until(() -> server.count(ApiKeys.API_VERSIONS) > 3);
      server.talkGarbage(false);
      long heartbeats = server.count(ApiKeys.HEARTBEAT);
      await().atMost(PATIENCE).until(() -> server.count(ApiKeys.HEARTBEAT) > heartbeats + 2);
      assertThat(log.messages())
          .hasSize(2)
          .first(InstanceOfAssertFactories.STRING)
          .contains(server.address().getPort() + ": not Kafka's protocol: ");
    }
    assertThat(member.assignment()).isEqualTo(ALL);
    assertThat(server.count(ApiKeys.SYNC_GROUP)).isEqualTo(1);
    assertThat(kinds()).containsExactly(Kind.ASSIGNED);
  }

  @Test
  void revokedIsOnTheLedgerBeforeTheJoinIsOnTheWire() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);
    List<List<Kind>> atJoin = new CopyOnWriteArrayList<>();
    AtomicInteger beats = new AtomicInteger();
    server.on(
        ApiKeys.HEARTBEAT,
        request ->
            Optional.of(
                new HeartbeatResponseData()
                    .setErrorCode(
                        beats.incrementAndGet() == 1 ? Errors.REBALANCE_IN_PROGRESS.code() : 0)));
    server.on(
        ApiKeys.JOIN_GROUP,
        request -> {
          atJoin.add(kinds());
          return Optional.of(
              new JoinGroupResponseData().setErrorCode(Errors.GROUP_MAX_SIZE_REACHED.code()));
        });

    await().atMost(PATIENCE).until(() -> member.failure().isPresent());

    assertThat(atJoin).containsExactly(List.of(Kind.ASSIGNED, Kind.REVOKED));
    assertThat(ledger.all(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("join", "told");
  }

  @Test
  void aSilentCoordinatorIsLeftBehindWhenTheLeaseEnds() {
    CoordinatedMember member =
        join(config(server.address()).withSession(Duration.ofMillis(900), Duration.ofMillis(100)));
    owns(member, ALL);
    server.on(ApiKeys.HEARTBEAT, request -> ScriptedCoordinator.SILENCE);
    try (LogCapture log = LogCapture.of(ContactLog.class)) {
      await().atMost(PATIENCE).until(() -> kinds().contains(Kind.LOST));
      owns(member, ALL); // Joined again, on a new connection.
      String at = "localhost:" + server.address().getPort();
      assertThat(log.messages())
          .startsWith(
              "WARN member a of group g is without a coordinator, and goes on seeking one: "
                  + at
                  + ": nothing heard for 810 ms",
              "WARN member a of group g has a coordinator: " + at);
    }
    assertThat(server.count(ApiKeys.API_VERSIONS)).isGreaterThanOrEqualTo(2);
    assertThat(ledger.all(Observation.AttemptStarted.class).get(1).trigger()).isEqualTo("lost");
  }

  /** Owns everything, is told of a rebalance, and its Join waits. */
  private CoordinatedMember withParkedJoin() {
    CoordinatedMember member =
        join(
            config(server.address())
                .withSession(Duration.ofMillis(900), Duration.ofMillis(100))
                .withAssignmentStrategy("cooperative-sticky"));
    owns(member, ALL);
    server.on(ApiKeys.JOIN_GROUP, request -> ScriptedCoordinator.SILENCE);
    long joins = server.count(ApiKeys.JOIN_GROUP);
    server.on(
        ApiKeys.HEARTBEAT,
        request ->
            Optional.of(
                new HeartbeatResponseData().setErrorCode(Errors.REBALANCE_IN_PROGRESS.code())));
    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.JOIN_GROUP) > joins);
    return member;
  }

  @Test
  void aMemberWhoseJoinWaitsLongerThanItsLeaseKeepsItsShareAsLongAsItCountsAsAlive() {
    CoordinatedMember member = withParkedJoin();
    long before = server.count(ApiKeys.HEARTBEAT);

    // One comes every third of a lease.
    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.HEARTBEAT) >= before + 7);

    assertThat(kinds()).containsExactly(Kind.ASSIGNED);
    assertThat(member.assignment()).isEqualTo(ALL);
    assertThat(server.count(ApiKeys.API_VERSIONS)).as("connections").isEqualTo(2);

    server.on(ApiKeys.HEARTBEAT, request -> ScriptedCoordinator.SILENCE);
    await().atMost(PATIENCE).until(() -> kinds().contains(Kind.LOST));
  }

  @Test
  void aMemberWhoseJoinWaitsAtACoordinatorThatIsNoneAnyMoreJoinsAtTheNext() throws IOException {
    CoordinatedMember member = withParkedJoin();
    try (ScriptedCoordinator next = new ScriptedCoordinator()) {
      server.on(
          ApiKeys.FIND_COORDINATOR, request -> Optional.of(next.coordinator(request, Errors.NONE)));

      await().atMost(PATIENCE).until(() -> next.count(ApiKeys.SYNC_GROUP) == 1);

      owns(member, ALL);
      assertThat(kinds()).doesNotContain(Kind.LOST);
      member.close();
    }
  }

  @Test
  void aCutConnectionIsReplacedAndTheShareKept() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);

    server.cut();
    long heartbeats = server.count(ApiKeys.HEARTBEAT);

    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.HEARTBEAT) > heartbeats + 1);
    assertThat(kinds()).containsExactly(Kind.ASSIGNED);
    assertThat(server.count(ApiKeys.JOIN_GROUP)).isEqualTo(2);
  }

  @Test
  void theServerThatAnsweredBeforeIsNotTheFirstToBeAskedAgain() throws IOException {
    try (ScriptedCoordinator other = new ScriptedCoordinator()) {
      other.on(
          ApiKeys.FIND_COORDINATOR,
          request -> Optional.of(server.coordinator(request, Errors.NONE)));
      CoordinatedMember member = join(config(server.address(), other.address()));
      owns(member, ALL);
      assertThat(other.count(ApiKeys.FIND_COORDINATOR)).isZero();

      server.cut();

      long heartbeats = server.count(ApiKeys.HEARTBEAT);

      await().atMost(PATIENCE).until(() -> server.count(ApiKeys.HEARTBEAT) > heartbeats + 1);
      assertThat(other.count(ApiKeys.FIND_COORDINATOR)).isEqualTo(1);
      assertThat(server.count(ApiKeys.FIND_COORDINATOR)).isEqualTo(1);
      member.close();
    }
  }

  @Test
  void aCommitAnsweredWithAnEndedGenerationFailsAndTheMemberJoinsAgain() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);
    server.on(
        ApiKeys.OFFSET_COMMIT,
        request ->
            Optional.of(refused((OffsetCommitRequestData) request, Errors.ILLEGAL_GENERATION)));

    assertThatThrownBy(
            () -> member.commit(Map.of(new TopicPartition("t", 1), 5L)).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ILLEGAL_GENERATION (22)");

    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.SYNC_GROUP) == 2);
    assertThat(kinds()).startsWith(Kind.ASSIGNED, Kind.LOST);
  }

  @Test
  void anOffsetBelowZeroIsRefusedWithoutARequest() {
    server.on(ApiKeys.OFFSET_COMMIT, request -> Optional.of(new OffsetCommitResponseData()));
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);
    Map<TopicPartition, Long> positions =
        Map.of(new TopicPartition("t", 0), 5L, new TopicPartition("t", 1), -1L);

    assertThatThrownBy(() -> member.commit(positions).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("offset of t-1: -1 (expected: >= 0)");

    assertThat(server.count(ApiKeys.OFFSET_COMMIT)).isZero();
  }

  @Test
  void aCommitTheStoreDidNotTakeIsAnIoError() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);
    server.on(
        ApiKeys.OFFSET_COMMIT,
        request ->
            Optional.of(
                refused((OffsetCommitRequestData) request, Errors.OFFSET_METADATA_TOO_LARGE)));

    assertThatThrownBy(
            () -> member.commit(Map.of(new TopicPartition("t", 1), 5L)).get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("OFFSET_METADATA_TOO_LARGE (12)");
    assertThat(kinds()).containsExactly(Kind.ASSIGNED);
  }

  private static OffsetCommitResponseData refused(OffsetCommitRequestData request, Errors error) {
    OffsetCommitResponseData answer = new OffsetCommitResponseData();
    request
        .topics()
        .forEach(
            topic ->
                answer
                    .topics()
                    .add(
                        new OffsetCommitResponseData.OffsetCommitResponseTopic()
                            .setName(topic.name())
                            .setPartitions(
                                topic.partitions().stream()
                                    .map(
                                        partition ->
                                            new OffsetCommitResponseData
                                                    .OffsetCommitResponsePartition()
                                                .setPartitionIndex(partition.partitionIndex())
                                                .setErrorCode(error.code()))
                                    .toList())));
    return answer;
  }

  @Test
  void closeBehindAParkedJoinLeavesOnAConnectionOfItsOwn() {
    CoordinatedMember member;
    AtomicBoolean named = new AtomicBoolean();
    server.on(
        ApiKeys.JOIN_GROUP,
        request ->
            named.getAndSet(true)
                ? ScriptedCoordinator.SILENCE
                : Optional.of(
                    new JoinGroupResponseData()
                        .setErrorCode(Errors.MEMBER_ID_REQUIRED.code())
                        .setMemberId("a-1")));
    member = join(config(server.address()));
    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.JOIN_GROUP) == 2);

    member.close();

    assertThat(server.count(ApiKeys.LEAVE_GROUP)).isEqualTo(1);
    assertThat(server.count(ApiKeys.API_VERSIONS)).isEqualTo(2);
  }

  @Test
  void heartbeatsGoOnWhileTheListenerBlocks() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CoordinatedMember member =
        join(
            config(server.address()),
            new OwnershipListener() {
              @Override
              public void onAssigned(Assignment partitions) {
                awaitUninterruptibly(release);
              }
            });
    owns(member, ALL);

    long heartbeats = server.count(ApiKeys.HEARTBEAT);
    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.HEARTBEAT) > heartbeats + 3);

    assertThat(ledger.all(Observation.AttemptEnded.class)).isEmpty();
    release.countDown();
    await().atMost(PATIENCE).until(() -> ledger.all(Observation.AttemptEnded.class).size() == 1);
  }

  @Test
  void aListenerMayCloseItsOwnMember() {
    AtomicReference<CoordinatedMember> self = new AtomicReference<>();
    CountDownLatch known = new CountDownLatch(1);
    self.set(
        join(
            config(server.address()),
            new OwnershipListener() {
              @Override
              public void onAssigned(Assignment partitions) {
                awaitUninterruptibly(known);
                self.get().close();
              }
            }));
    known.countDown();

    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.LEAVE_GROUP) == 1);

    self.get().close();
    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.REVOKED);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFrameOfImpossibleLengthCostsTheConnectionAndNothingElse() {
    server.loseFraming(true);
    CoordinatedMember member = join(config(server.address()));
    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.API_VERSIONS) > 1);

    server.loseFraming(false);

    owns(member, ALL);
  }

  @Test
  void aCrashCutsShortALeaveThatIsNotAnswered() {
    CoordinatedMember member = join(config(server.address()));
    owns(member, ALL);
    server.on(ApiKeys.LEAVE_GROUP, request -> ScriptedCoordinator.SILENCE);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(member::close);
    await().atMost(PATIENCE).until(() -> server.count(ApiKeys.LEAVE_GROUP) == 1);

    member.crash();

    assertThat(closing).succeedsWithin(PATIENCE);
    assertThat(member.failure()).isEmpty();
    assertThat(kinds()).containsExactly(Kind.ASSIGNED, Kind.REVOKED);
  }
}
