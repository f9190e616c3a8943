package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.OffsetCommitted;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.ZnodePaths;
import io.rebalancer.zk.runtime.ZkMember;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of docs/cases.md about offsets. */
class OffsetCasesIT {

  private static final Duration NEVER = Duration.ofHours(1);

  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t", 4);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private ZkMember join(String name, boolean strict) {
    return join(name, strict, OwnershipListener.none());
  }

  private ZkMember join(String name, boolean strict, OwnershipListener listener) {
    return stage
        .engine(stage.config.withStrict(strict).withAutoCommit(true, NEVER))
        .join(stage.member(name), listener);
  }

  private String stored(TopicPartition partition) throws Exception {
    return stage.text(ZnodePaths.offset(Stage.GROUP, partition));
  }

  private void store(TopicPartition partition, String text) throws Exception {
    stage
        .admin
        .create()
        .orSetData()
        .creatingParentsIfNeeded()
        .forPath(ZnodePaths.offset(Stage.GROUP, partition), text.getBytes(UTF_8));
  }

  private static void refuses(CompletableFuture<?> answer, Class<?> type, String... words) {
    assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(type)
        .message()
        .contains(words);
  }

  @Test
  void b076APeriodicCommitWritesNothingOfWhatWasReleased() throws Exception {
    ZkMember c1 = join("c1", false);
    stage.awaitBalance(c1);
    c1.commit(Map.of(t(1), 5L, t(2), 10L)).get(10, TimeUnit.SECONDS);
    c1.report(t(1), 5);
    c1.report(t(2), 10);
    ZkMember c2 = join("c2", false);
    stage.awaitBalance(c1, c2);
    c2.commit(Map.of(t(2), 41L)).get(10, TimeUnit.SECONDS);
    stage.recorder.clear();

    c1.report(t(1), 30);
    c1.commitReported().get(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> c1.report(t(2), 10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("t-2");
    refuses(c1.commit(Map.of(t(1), 31L, t(2), 10L)), IllegalStateException.class, "[t-2]");

    assertThat(stored(t(1))).isEqualTo("30");
    assertThat(stored(t(2))).isEqualTo("41");
    assertThat(stage.recorder.of(OffsetCommitted.class))
        .singleElement()
        .matches(commit -> commit.member().equals("c1") && commit.partition().equals(t(1)));
  }

  /** In the original a write that has begun is carried out, in the next session if need be (D8). */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void b076AWriteThatIsUnderWayWhileItsSessionEndsIsRefusedByAStrictMember(boolean strict)
      throws Exception {
    try (TcpProxy proxy = new TcpProxy(stage.server.getPort())) {
      ZkRebalanceEngine proxied =
          stage.engine(
              ZkEngineConfig.defaults(proxy.connectString())
                  .withRebalance(stage.config.rebalanceMaxRetries(), Duration.ofMillis(100))
                  .withSessionTimeout(stage.config.sessionTimeout())
                  .withConnectionTimeout(stage.config.connectionTimeout())
                  .withStrict(strict));
      ZkMember c1 = proxied.join(stage.member("c1"), OwnershipListener.none());
      stage.awaitBalance(c1);
      c1.commit(Map.of(t(2), 5L)).get(10, TimeUnit.SECONDS);

      proxy.cutAndRefuse();
      CompletableFuture<Void> underWay =
          CompletableFuture.supplyAsync(() -> c1.commit(Map.of(t(2), 10L)))
              .thenCompose(answer -> answer);
      await().atMost(Stage.SETTLE).until(() -> stage.owner(t(2)).isEmpty());
      ZkMember c2 = join("c2", strict);
      await().atMost(Stage.SETTLE).until(() -> c2.assignment().contains(t(2)));
      c2.commit(Map.of(t(2), 41L)).get(10, TimeUnit.SECONDS);
      proxy.heal();

      if (strict) {
        refuses(underWay, IllegalStateException.class, "[t-2]");
        assertThat(stored(t(2))).isEqualTo("41");
      } else {
        underWay.get(20, TimeUnit.SECONDS);
        assertThat(stored(t(2))).isEqualTo("10");
      }
      proxied.close();
    }
  }

  @Test
  void b077ThePositionIsReadAnewWheneverAPartitionComesBack() throws Exception {
    Map<TopicPartition, Long> resumedAt = new TreeMap<>();
    CountDownLatch assignedAgain = new CountDownLatch(2);
    CompletableFuture<ZkMember> self = new CompletableFuture<>();
    OwnershipListener resumes =
        new OwnershipListener() {
          @Override
          public void onAssigned(Assignment partitions) {
            partitions.stream()
                .forEach(p -> self.join().committed(p).join().ifPresent(o -> resumedAt.put(p, o)));
            if (partitions.contains(t(3))) {
              assignedAgain.countDown();
            }
          }
        };
    ZkMember c1 = join("c1", false, resumes);
    self.complete(c1);
    stage.awaitBalance(c1);
    c1.commit(Map.of(t(3), 100L)).get(10, TimeUnit.SECONDS);
    ZkMember c2 = join("c2", false);
    stage.awaitBalance(c1, c2);
    c2.commit(Map.of(t(3), 250L)).get(10, TimeUnit.SECONDS);

    c2.close();
    stage.awaitBalance(c1);

    assertThat(assignedAgain.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(resumedAt).containsEntry(t(3), 250L);
    // What it last wrote itself is forgotten too: the same value again is written again.
    c1.commit(Map.of(t(3), 100L)).get(10, TimeUnit.SECONDS);
    assertThat(stored(t(3))).isEqualTo("100");
  }

  @Test
  void b080PositionsBelongToATopicsPartition() throws Exception {
    stage.topic("u", 1);
    TopicPartition u0 = new TopicPartition("u", 0);
    ZkMember c1 = join("c1", false);
    stage.awaitBalance(c1);
    c1.report(t(0), 1000);
    c1.report(u0, 5);

    stage.touch("t"); // Both are released and come back.
    await().atMost(Stage.SETTLE).until(() -> stored(t(0)).equals("1000") && stored(u0).equals("5"));
    stage.awaitBalance(c1);

    assertThat(c1.committed(t(0)).get(10, TimeUnit.SECONDS)).contains(1000L);
    assertThat(c1.committed(u0).get(10, TimeUnit.SECONDS)).contains(5L);
    c1.commit(Map.of(t(0), 5L)).get(10, TimeUnit.SECONDS);
    c1.commit(Map.of(u0, 1000L)).get(10, TimeUnit.SECONDS);
    assertThat(stored(t(0))).isEqualTo("5");
    assertThat(stored(u0)).isEqualTo("1000");
    assertThat(stage.recorder.of(Observation.ClaimLost.class)).isEmpty();
  }

  /** The record in hand takes as long as the listener takes to return. */
  @Test
  void b081ThePartitionIsReleasedWhenTheRecordInHandIsDoneAndNothingIsCommittedAfterwards()
      throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch recordDone = new CountDownLatch(1);
    CompletableFuture<ZkMember> self = new CompletableFuture<>();
    OwnershipListener drains =
        new OwnershipListener() {
          @Override
          public void onRevoked(Assignment partitions) {
            if (partitions.contains(t(3))) {
              asked.countDown();
              awaitQuietly(recordDone);
              self.join().commit(Map.of(t(3), 18L)).join();
            }
          }
        };
    ZkMember c1 = join("c1", false, drains);
    self.complete(c1);
    stage.awaitBalance(c1);
    c1.commit(Map.of(t(3), 17L)).get(10, TimeUnit.SECONDS);

    ZkMember c2 = join("c2", false);
    assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.ClaimLost.class) > 0); // c2 has to wait.
    assertThat(stage.owner(t(3))).isEqualTo("g1_c1-0");
    recordDone.countDown();
    stage.awaitBalance(c1, c2);

    assertThat(c2.committed(t(3)).get(10, TimeUnit.SECONDS)).contains(18L);
    refuses(c1.commit(Map.of(t(3), 19L)), IllegalStateException.class, "[t-3]");
    assertThat(stored(t(3))).isEqualTo("18");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void b081AnOwnerNodeThatIsGoneOrAnothersEndsTheCommitsOfAStrictMember() throws Exception {
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.registry.OwnerNodes")) {
      ZkMember c1 = join("c1", true);
      stage.awaitBalance(c1);
      c1.commit(Map.of(t(0), 1L, t(1), 1L)).get(10, TimeUnit.SECONDS);
      stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(0)));
      stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(1)));
      stage.occupy(t(1), "other-0");

      refuses(c1.commit(Map.of(t(0), 2L, t(1), 2L)), IllegalStateException.class, "[t-0, t-1]");
      c1.commit(Map.of(t(2), 2L)).get(10, TimeUnit.SECONDS);
      c1.report(t(1), 3);

      assertThat(stored(t(0))).isEqualTo("1");
      assertThat(stored(t(1))).isEqualTo("1");
      assertThat(stored(t(2))).isEqualTo("2");
      assertThat(log.messages())
          .anyMatch(line -> line.contains("/owners/t/0: no owner node"))
          .anyMatch(line -> line.contains("/owners/t/1: \"other-0\" of ZooKeeper session 0x"));

      // Nor does the refused position keep it from its next attempts.
      stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(1)));
      stage.touch("t");
      stage.awaitBalance(c1);
    }
  }

  @Test
  void b081TheOriginalsCommitsGoOnWithoutTheOwnerNode() throws Exception {
    ZkMember c1 = join("c1", false);
    stage.awaitBalance(c1);
    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(0)));

    c1.commit(Map.of(t(0), 2L)).get(10, TimeUnit.SECONDS);

    assertThat(stored(t(0))).isEqualTo("2");
  }

  private void storeNumbersAndOthers() throws Exception {
    stage.topic("t", 8);
    store(t(0), "{\"offset\":42,\"partition\":0}");
    store(t(1), "");
    store(t(2), "abc");
    store(t(3), " 42 ");
    store(t(4), "42\n");
    store(t(5), "-1");
    store(t(6), "9223372036854775808");
    store(t(7), "42");
  }

  @Test
  void b113OneOffsetThatIsNoNumberStopsTheOriginal() throws Exception {
    storeNumbersAndOthers();
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.registry.Unreadable")) {
      GroupMember member = stage.joinWithFourTries("c1");

      await().atMost(Stage.SETTLE).until(() -> stage.recorder.count(Observation.GaveUp.class) == 1);

      assertThat(member.assignment()).isEqualTo(Assignment.empty());
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("/consumers/g1/offsets/t/0: \"{\"offset\":42,\"partition\":0}\"");
    }
  }

  @Test
  void b113AStrictMemberOwnsThePartitionAndSaysWhyItKnowsNoOffset() throws Exception {
    storeNumbersAndOthers();
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.registry.Unreadable")) {
      ZkMember member = join("c1", true);
      stage.awaitBalance(member);

      assertThat(member.committed(t(7)).get(10, TimeUnit.SECONDS)).contains(42L);
      assertThat(member.committed(t(5)).get(10, TimeUnit.SECONDS)).isEmpty();
      for (int bad : new int[] {0, 1, 2, 3, 4, 6}) {
        refuses(
            member.committed(t(bad)),
            IOException.class,
            "/consumers/g1/offsets/t/" + bad + ": \"",
            "(expected: a decimal offset)");
        assertThat(log.messages())
            .filteredOn(line -> line.contains("/consumers/g1/offsets/t/" + bad + ": \""))
            .hasSize(1);
      }

      member.commit(Map.of(t(0), 43L)).get(10, TimeUnit.SECONDS);
      assertThat(member.committed(t(0)).get(10, TimeUnit.SECONDS)).contains(43L);
    }
  }
}
