package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.ThreadId;
import io.rebalancer.core.model.TopicPartition;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.ZnodePaths;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ZkRebalanceEngineIT {

  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1, 2, 3).topic("t", 7);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  @Test
  void membersShareWhenTheyJoinLeaveAndCrash() throws Exception {
    GroupMember first = stage.join("c1");
    stage.awaitBalance(first);
    GroupMember second = stage.join("c2");
    stage.awaitBalance(first, second);
    GroupMember third = stage.join("c3");
    stage.awaitBalance(first, second, third);

    second.close();
    stage.awaitBalance(first, third);

    third.crash();
    assertThat(third.assignment().isEmpty()).isTrue();
    assertThat(stage.ids()).containsExactly("g1_c1", "g1_c3");
    stage.awaitBalance(first);
    assertThat(stage.ids()).containsExactly("g1_c1");
  }

  @Test
  void znodesHoldTheOriginalsBytes() throws Exception {
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);

    assertThat(stage.text(ZnodePaths.ids(Stage.GROUP) + "/g1_c1"))
        .matches(
            "\\{\"version\":1,\"subscription\":\\{\"t\":1},\"pattern\":\"static\","
                + "\"timestamp\":\"\\d{13}\"}");
    assertThat(stage.owner(Stage.t(6))).isEqualTo("g1_c1-0");
    assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, Stage.t(6))).getEphemeralOwner())
        .isEqualTo(stage.stat(ZnodePaths.ids(Stage.GROUP) + "/g1_c1").getEphemeralOwner())
        .isNotZero();
    await().until(() -> stage.stat(ZnodePaths.offsets(Stage.GROUP)) == null);
  }

  @Test
  void roundRobinDealsToEveryThreadAsKafka11Does() throws Exception {
    MemberConfig two =
        new MemberConfig(Stage.GROUP, "a", Subscription.copyOf(Map.of("t", 2, "missing", 1)));
    MemberConfig one = new MemberConfig(Stage.GROUP, "b", Subscription.copyOf(Map.of("t", 1)));
    ZkRebalanceEngine engine = stage.engine(stage.config.withAssignmentStrategy("roundrobin"));
    Map<ThreadId, Assignment> expected =
        new RoundRobinAssignor(RoundRobinAssignor.Release.V1_0)
            .assignThreads(
                Map.of("t", PartitionSet.range(0, 7)),
                Map.of(
                    new MemberId("g1_a"), two.subscription(),
                    new MemberId("g1_b"), one.subscription()));

    engine.join(two, OwnershipListener.none());
    engine.join(one, OwnershipListener.none());

    await()
        .atMost(Stage.SETTLE)
        .untilAsserted(
            () -> {
              for (Map.Entry<ThreadId, Assignment> share : expected.entrySet()) {
                for (TopicPartition partition : share.getValue().stream().toList()) {
                  assertThat(stage.owner(partition)).isEqualTo(share.getKey().toString());
                }
              }
            });
  }

  @Test
  void offsetsAreWrittenUnconditionallyAndOnlyWhenTheyChange() throws Exception {
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    String path = ZnodePaths.offset(Stage.GROUP, Stage.t(3));

    member.commit(Map.of(Stage.t(3), 1234L)).get();
    assertThat(stage.text(path)).isEqualTo("1234");
    assertThat(stage.stat(path).getEphemeralOwner()).isZero();

    member.commit(Map.of(Stage.t(3), 1234L)).get();
    assertThat(stage.stat(path).getVersion()).isZero();

    stage.admin.setData().forPath(path, "7".getBytes(StandardCharsets.UTF_8));
    member.commit(Map.of(Stage.t(3), 1235L)).get();
    assertThat(stage.text(path)).isEqualTo("1235");
    assertThat(member.committed(Stage.t(3)).get()).contains(1235L);
    assertThat(member.committed(Stage.t(4)).get()).isEmpty();
  }

  @Test
  void aListenerMayCommitWhileItIsAskedToStop() throws Exception {
    AtomicReference<GroupMember> self = new AtomicReference<>();
    OwnershipListener listener =
        new OwnershipListener() {
          @Override
          public void onRevoked(Assignment partitions) {
            self.get().commit(Map.of(Stage.t(0), 5L)).join();
          }
        };
    self.set(stage.engine.join(stage.member("c1"), listener));
    stage.awaitBalance(self.get());

    self.get().close();

    assertThat(stage.text(ZnodePaths.offset(Stage.GROUP, Stage.t(0)))).isEqualTo("5");
  }

  @Test
  void watchesAreSetAgainWhileAListenerBlocks() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    OwnershipListener blocking =
        new OwnershipListener() {
          @Override
          public void onRevoked(Assignment partitions) {
            try {
              release.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    GroupMember first = stage.engine.join(stage.member("c1"), blocking);
    stage.awaitBalance(first);
    stage.recorder.clear();

    GroupMember second = stage.join("c2");
    awaitTold("c1", 1);
    GroupMember third = stage.join("c3");
    awaitTold("c1", 2);

    assertThat(first.assignment().size()).isEqualTo(7);
    release.countDown();
    stage.awaitBalance(first, second, third);
    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .filteredOn(end -> end.member().equals("c1"))
        .first()
        .matches(Observation.AttemptEnded::superseded);
  }

  private void awaitTold(String member, int times) {
    await()
        .atMost(Stage.SETTLE)
        .until(
            () ->
                stage.recorder.of(Observation.WatchDelivered.class).stream()
                        .filter(event -> event.session().equals(member))
                        .count()
                    == times);
  }

  @Test
  void aListenerThatThrowsFailsTheAttemptAndKeepsEverything() throws Exception {
    AtomicInteger refusals = new AtomicInteger(2);
    OwnershipListener reluctant =
        new OwnershipListener() {
          @Override
          public void onRevoked(Assignment partitions) {
            if (refusals.getAndDecrement() > 0) {
              throw new IllegalStateException("not now");
            }
          }
        };
    GroupMember member = stage.engine.join(stage.member("c1"), reluctant);
    stage.awaitBalance(member);
    stage.recorder.clear();

    stage.touch("t");
    stage.awaitBalance(member);

    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .extracting(Observation.AttemptEnded::failed, end -> end.after().size())
        .containsExactly(tuple(true, 7), tuple(true, 7), tuple(false, 7));
  }

  @Test
  void aChrootIsUsedAndAMissingOneIsNamed() throws Exception {
    ZkRebalanceEngine engine =
        stage.engine(
            ZkEngineConfig.defaults(stage.config.connect() + "/lab")
                .withRebalance(4, Duration.ofMillis(100))
                .withSessionTimeout(Duration.ofSeconds(2))
                .withConnectionTimeout(Duration.ofSeconds(5)));

    assertThatThrownBy(() -> engine.join(stage.member("c1"), OwnershipListener.none()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("zookeeper.connect")
        .hasMessageContaining("/lab");

    stage.admin.create().forPath("/lab");
    GroupMember member = engine.join(stage.member("c1"), OwnershipListener.none());
    assertThat(stage.stat("/lab/consumers/g1/ids/" + member.id().orElseThrow())).isNotNull();
  }

  @Test
  void anUnreachableZooKeeperIsNamed() throws Exception {
    int unused;
    try (ServerSocket socket = new ServerSocket(0)) {
      unused = socket.getLocalPort();
    }
    ZkRebalanceEngine engine =
        stage.engine(
            ZkEngineConfig.defaults("127.0.0.1:" + unused)
                .withConnectionTimeout(Duration.ofMillis(300)));

    assertThatThrownBy(() -> engine.join(stage.member("c1"), OwnershipListener.none()))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("127.0.0.1:" + unused)
        .hasMessageContaining("300 ms");
  }
}
