package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cases of docs/cases.md about the old way of sharing a group. */
class LegacyCasesIT {

  private static final String ID1 = ZnodePaths.ids(Stage.GROUP) + "/g1_c1";

  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private GroupMember join(ZkEngineConfig config, String name) {
    return join(config, name, OwnershipListener.none());
  }

  private GroupMember join(ZkEngineConfig config, String name, OwnershipListener listener) {
    return stage.engine(config).join(stage.member(name), listener);
  }

  private GroupMember joinFor(String name, String topic) {
    return stage.engine.join(
        new MemberConfig(Stage.GROUP, name, Subscription.copyOf(Map.of(topic, 1))),
        OwnershipListener.none());
  }

  private long failedAttempts(String member) {
    return stage.recorder.of(Observation.AttemptEnded.class).stream()
        .filter(end -> end.failed() && end.member().equals(member))
        .count();
  }

  private void awaitFailedAttempts(String member, int count) {
    await().atMost(Stage.SETTLE).until(() -> failedAttempts(member) >= count);
  }

  private void awaitGiveUp(String member) {
    await()
        .atMost(Stage.SETTLE)
        .until(
            () ->
                stage.recorder.of(Observation.GaveUp.class).stream()
                    .anyMatch(gaveUp -> gaveUp.member().equals(member)));
  }

  private List<String> owners(int partitions) throws Exception {
    List<String> owners = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      owners.add(stage.owner(t(i)));
    }
    return owners;
  }

  /** The failed attempt is rolled back before its back-off. */
  @Test
  void b001HalfFinishedClaimIsNotLeftBehind() throws Exception {
    stage.topic("t", 4);
    stage.occupy(t(3), "x-0");
    GroupMember first =
        join(stage.config.withRebalance(20, Duration.ofSeconds(1)), "c1"); // Time to look.
    awaitFailedAttempts("c1", 1);
    assertThat(owners(4)).containsExactly("", "", "", "x-0");

    GroupMember second = stage.join("c2");
    awaitFailedAttempts("c2", 1);
    assertThat(owners(4)).doesNotContain("g1_c2-0");
    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(3)));

    stage.awaitBalance(first, second);
    assertThat(owners(4)).containsExactly("g1_c1-0", "g1_c1-0", "g1_c2-0", "g1_c2-0");
    assertThat(stage.recorder.count(Observation.GaveUp.class)).isZero();
  }

  /**
   * The tries end long before the session of the killed one does; its registration goes together
   * with its owner nodes, and that is the event which heals.
   */
  @Test
  void b003TriesShorterThanTheSessionAreWarnedOfAndTheDeadOnesShareIsTakenAllTheSame()
      throws Exception {
    stage.topic("t", 4);
    GroupMember first = join(stage.config.withSessionTimeout(Duration.ofSeconds(3)), "c1");
    stage.awaitBalance(first);
    ZkEngineConfig hasty = stage.config.withRebalance(4, Duration.ofMillis(50));
    GroupMember second;
    try (LogCapture log = LogCapture.of(ZkRebalanceEngine.class)) {
      first.crash();
      second = join(hasty, "c2");
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("WARN ")
          .contains("4 x 50 ms = 200 ms", "2000 ms");
    }

    awaitGiveUp("c2");
    assertThat(owners(4)).containsOnly("g1_c1-0");
    stage.awaitBalance(second);
  }

  @Test
  void b005EveryJoinSharesAndEveryKillGivesAllBack() throws Exception {
    stage.topic("t", 6);
    ZkEngineConfig brief = stage.config.withSessionTimeout(Duration.ofSeconds(1));
    GroupMember first = stage.join("c1");
    for (String name : List.of("c2", "c3", "c4")) {
      GroupMember next = join(brief.withConnectionTimeout(Duration.ofSeconds(10)), name);
      stage.awaitShares(first, next);
      next.crash();
      stage.awaitShares(first);
    }
  }

  @Test
  void b005AMemberThatWasIdleForLongReleasesItsHalf() throws Exception {
    stage.topic("t", 40);
    GroupMember first = stage.join("c1");
    stage.awaitBalance(first);

    GroupMember second = stage.join("c2");

    stage.awaitBalance(first, second);
    assertThat(second.assignment().size()).isEqualTo(20);
  }

  /** Only a call of the listener holds up a rebalance; what the application waits for does not. */
  @Test
  void b006AnApplicationThatWaitsForRecordsHoldsNothingUp() throws Exception {
    stage.topic("t", 3);
    LinkedBlockingQueue<String> records = new LinkedBlockingQueue<>();
    CountDownLatch assigned = new CountDownLatch(1);
    Thread poll =
        new Thread(
            () -> {
              try {
                assigned.await();
                records.take();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    poll.start();
    GroupMember first =
        join(
            stage.config,
            "c1",
            new OwnershipListener() {
              @Override
              public void onAssigned(Assignment partitions) {
                assigned.countDown();
              }
            });
    stage.awaitBalance(first);
    await().atMost(Stage.SETTLE).until(() -> poll.getState() == Thread.State.WAITING);

    GroupMember second = stage.join("c2");

    stage.awaitBalance(first, second);
    assertThat(owners(3)).containsExactly("g1_c1-0", "g1_c1-0", "g1_c2-0");
    assertThat(poll.isAlive()).isTrue();
    poll.interrupt();
    poll.join();
  }

  /** D3: the last try of the newcomer ends, the release comes, and nobody tells the newcomer. */
  @Test
  void b008AsOriginalWhoGaveUpBeforeTheReleaseStaysWithoutPartitions() throws Exception {
    stage.topic("t", 4);
    CountDownLatch batch = new CountDownLatch(1);
    GroupMember first = join(stage.config, "c1", busyUntil(batch, Duration.ofMinutes(1)));
    stage.awaitBalance(first);
    GroupMember second = stage.joinWithFourTries("c2");
    awaitGiveUp("c2");

    batch.countDown();

    await()
        .atMost(Stage.SETTLE)
        .until(() -> owners(4).equals(List.of("g1_c1-0", "g1_c1-0", "", "")));
    stage.awaitQuiet();
    assertThat(owners(4)).containsExactly("g1_c1-0", "g1_c1-0", "", "");
    assertThat(second.assignment()).isEqualTo(Assignment.empty());
  }

  /** Twenty groups, so that releases come before, at and after the end of the newcomer's tries. */
  @Test
  void b008StrictNewcomerIsAsPatientAsTheReleaserNeeds() throws Exception {
    stage.topic("t", 4);
    Duration tries = Duration.ofMillis(400);
    ZkEngineConfig config = stage.config.withRebalance(4, tries.dividedBy(4)).withStrict(true);
    ZkRebalanceEngine strict = stage.engine(config);
    Random random = new Random(8);
    List<GroupMember> newcomers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      GroupId group = new GroupId("g" + i);
      Duration drain = tries.plusMillis(random.nextInt(401) - 200);
      GroupMember busy = joinGroup(strict, group, "c1", busyUntil(new CountDownLatch(1), drain));
      await().atMost(Stage.SETTLE).until(() -> busy.assignment().size() == 4);
      newcomers.add(joinGroup(strict, group, "c2", OwnershipListener.none()));
    }

    Assignment share = Assignment.of("t", PartitionSet.range(2, 2));
    await()
        .atMost(Stage.SETTLE)
        .untilAsserted(
            () ->
                assertThat(newcomers)
                    .allSatisfy(member -> assertThat(member.assignment()).isEqualTo(share)));
    assertThat(stage.recorder.count(Observation.GaveUp.class)).isZero();
  }

  private static GroupMember joinGroup(
      ZkRebalanceEngine engine, GroupId group, String name, OwnershipListener listener) {
    return engine.join(
        new MemberConfig(group, name, Subscription.copyOf(Map.of("t", 1))), listener);
  }

  /** A batch that takes no longer than the limit. */
  private static OwnershipListener busyUntil(CountDownLatch batch, Duration limit) {
    return new OwnershipListener() {
      @Override
      public void onRevoked(Assignment partitions) {
        try {
          boolean early = batch.await(limit.toMillis(), TimeUnit.MILLISECONDS);
          assertThat(early).isEqualTo(batch.getCount() == 0);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    };
  }

  /** The original: lost, and not tried again in this attempt. */
  @Test
  void b009AsOriginalAnOwnerThatVanishesBeforeItIsReadCostsTheAttempt() throws Exception {
    stage.topic("t", 2);
    stage.occupy(t(1), "x-0");
    try (ZkRebalanceEngine engine =
        new ZkRebalanceEngine(stage.config, new DeletesBeforeTheLook(t(1)))) {
      GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
      stage.awaitBalance(member);
    }

    assertThat(failedAttempts("c1")).isEqualTo(1);
    assertThat(stage.recorder.of(Observation.ClaimLost.class))
        .singleElement()
        .matches(lost -> lost.owner().isEmpty() && lost.partition().equals(t(1)));
  }

  @Test
  void b009StrictTakesANodeThatVanishesBeforeItIsReadForFree() throws Exception {
    stage.topic("t", 2);
    stage.occupy(t(1), "x-0");
    try (ZkRebalanceEngine engine =
        new ZkRebalanceEngine(stage.config.withStrict(true), new DeletesBeforeTheLook(t(1)))) {
      GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
      stage.awaitBalance(member);
    }

    assertThat(failedAttempts("c1")).isZero();
    assertThat(stage.recorder.count(Observation.ClaimLost.class)).isZero();
  }

  /**
   * Observations come before their request is sent. The first read after a write of the first
   * attempt is the look at the node that was in the way.
   */
  private final class DeletesBeforeTheLook implements RebalanceObserver {

    private final TopicPartition partition;
    private boolean attempting;
    private boolean done;
    private Kind last = Kind.READ;

    DeletesBeforeTheLook(TopicPartition partition) {
      this.partition = partition;
    }

    @Override
    public synchronized void on(Observation observation) {
      stage.recorder.on(observation);
      attempting |= observation instanceof Observation.AttemptStarted;
      if (observation instanceof Observation.Requested request) {
        if (attempting && !done && last == Kind.WRITE && request.kind() == Kind.READ) {
          done = true;
          delete();
        }
        last = request.kind();
      }
    }

    private void delete() {
      try {
        stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, partition));
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void b010MembersShareTheirOwnTopicsOnly() throws Exception {
    stage.topic("t1", 2).topic("t2", 2);

    GroupMember first = joinFor("c1", "t1");
    GroupMember second = joinFor("c2", "t2");

    await()
        .atMost(Stage.SETTLE)
        .untilAsserted(
            () -> {
              assertThat(first.assignment())
                  .isEqualTo(Assignment.of("t1", PartitionSet.range(0, 2)));
              assertThat(second.assignment())
                  .isEqualTo(Assignment.of("t2", PartitionSet.range(0, 2)));
            });
    stage.awaitQuiet();
    assertThat(stage.owner(new TopicPartition("t1", 1))).isEqualTo("g1_c1-0");
    assertThat(stage.owner(new TopicPartition("t2", 1))).isEqualTo("g1_c2-0");
  }

  @Test
  void b012TheSecondOfOneIdIsRefusedAndTheFirstIsNotDisturbed() throws Exception {
    stage.topic("t", 4);
    GroupMember first = stage.join("same");
    stage.awaitBalance(first);

    refusesASecond(first, stage.config);
  }

  /** 0.8 waits for ever, see ReleasesIT; a strict one until a dead session's node would be gone. */
  @ParameterizedTest
  @EnumSource(names = {"V0_8", "V1_1"})
  void b012StrictIsToldOfTheFirstAfterItHasWaitedForADeadOne(Profile profile) throws Exception {
    stage.topic("t", 4);
    GroupMember first = stage.join("same");
    stage.awaitBalance(first);

    refusesASecond(
        first,
        stage
            .config
            .withProfile(profile)
            .withSessionTimeout(Duration.ofMillis(600))
            .withStrict(true));
  }

  private void refusesASecond(GroupMember first, ZkEngineConfig config) throws Exception {
    String path = ZnodePaths.ids(Stage.GROUP) + "/g1_same";
    Stat before = stage.stat(path);

    assertThatThrownBy(() -> join(config, "same"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(path)
        .hasMessageContaining("session 0x" + Long.toHexString(before.getEphemeralOwner()));

    assertThat(stage.stat(path).getCzxid()).isEqualTo(before.getCzxid());
    assertThat(first.assignment().size()).isEqualTo(4);
    assertThat(owners(4)).containsOnly("g1_same-0");
  }

  /** It reads no registration of its own in any try, and has stopped; nobody tells it any more. */
  @Test
  void b013AsOriginalALostRegistrationStopsTheMember() throws Exception {
    stage.topic("t", 4);
    GroupMember first = stage.joinWithFourTries("c1");
    GroupMember second = stage.join("c2");
    stage.awaitBalance(first, second);

    stage.admin.delete().forPath(ID1);

    awaitGiveUp("c1");
    assertThat(first.assignment()).isEqualTo(Assignment.empty());
    assertThat(stage.ids()).containsExactly("g1_c2");
  }

  @Test
  void b013StrictWritesALostRegistrationAgainWithinThreeAttempts() throws Exception {
    stage.topic("t", 4);
    ZkEngineConfig strict = stage.config.withRebalance(20, Duration.ofMillis(300)).withStrict(true);
    GroupMember first = join(strict, "c1");
    GroupMember second = join(strict, "c2");
    stage.awaitBalance(first, second);
    long session = stage.stat(ID1).getEphemeralOwner();
    stage.recorder.clear();

    stage.admin.delete().forPath(ID1);
    awaitFailedAttempts("c1", 1);

    stage.awaitBalance(first, second);
    assertThat(stage.stat(ID1).getEphemeralOwner()).isEqualTo(session);
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .filteredOn(attempt -> attempt.member().equals("c1"))
        .hasSizeLessThanOrEqualTo(3);
  }

  /** D7, without strict. */
  @Test
  void b014StrictReleasesWhatItsOwnSessionMadeInTheVersionThatItRead() throws Exception {
    stage.topic("t", 4);
    Meddler meddler = new Meddler();
    try (ZkRebalanceEngine engine = new ZkRebalanceEngine(stage.config.withStrict(true), meddler)) {
      GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
      stage.awaitBalance(member);
      stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(0)));
      stage.occupy(t(0), "g1_c2-0");
      stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(1)));
      long czxid = stage.stat(ZnodePaths.owner(Stage.GROUP, t(0))).getCzxid();

      meddler.armed = true;
      stage.touch("t");
      awaitFailedAttempts("c1", 2);

      assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, t(0))).getCzxid()).isEqualTo(czxid);
      assertThat(owners(4)).startsWith("g1_c2-0");
      assertThat(stage.recorder.of(Observation.ClaimLost.class))
          .allMatch(lost -> lost.partition().equals(t(0)) && lost.owner().equals("g1_c2-0"));
      // Nothing for 0 and 1, two for 2, one for 3; four creates; three given back.
      assertThat(meddler.writes).isEqualTo(3 + 4 + 3);
      stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(0)));
      stage.awaitBalance(member);
    }
  }

  /** Writes to partition 2's node just before its deletion, and counts the attempt's writes. */
  private final class Meddler implements RebalanceObserver {

    private volatile boolean armed;
    private boolean ended;
    private int writes;

    @Override
    public synchronized void on(Observation observation) {
      stage.recorder.on(observation);
      if (!armed || ended) {
        return;
      }
      ended = observation instanceof Observation.AttemptEnded;
      if (observation instanceof Observation.Requested request && request.kind() == Kind.WRITE) {
        if (writes++ == 0) {
          write();
        }
      }
    }

    private void write() {
      try {
        stage.admin.setData().forPath(ZnodePaths.owner(Stage.GROUP, t(2)), new byte[] {'x'});
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void b015AddedPartitionsArePickedUp() throws Exception {
    stage.topic("t", 2);
    GroupMember first = stage.join("c1");
    GroupMember second = stage.join("c2");
    stage.awaitBalance(first, second);
    for (int partitions : new int[] {4, 6}) {
      stage.topic("t", partitions);
      stage.awaitBalance(first, second);
    }
  }
}
