package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The original's defects, by their numbers in the documentation, each pinned. */
class DefectsIT {

  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t", 4);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private void awaitGiveUp() {
    await().atMost(Stage.SETTLE).until(() -> stage.recorder.count(Observation.GaveUp.class) == 1);
  }

  @Test
  void d3GivesUpAfterItsTriesAndHealsOnlyOnTheNextEvent() throws Exception {
    stage.occupy(t(2), "someone");

    GroupMember member = stage.joinWithFourTries("c1");

    awaitGiveUp();
    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .hasSize(4)
        .allMatch(Observation.AttemptEnded::failed);
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("join", "retry", "retry", "retry");
    assertThat(stage.recorder.of(Observation.ClaimLost.class))
        .hasSize(4)
        .allMatch(lost -> lost.owner().equals("someone") && lost.partition().equals(t(2)));
    assertThat(stage.ids()).containsExactly("g1_c1"); // D4: registered, and owning nothing.
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    assertThat(stage.owner(t(0))).isEmpty();

    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(2)));
    stage.awaitQuiet();
    assertThat(member.assignment()).isEqualTo(Assignment.empty());

    stage.touch("t");
    stage.awaitBalance(member);
  }

  @Test
  void d6TakesItsOwnNameInADeadSessionForItsOwnClaim() throws Exception {
    CuratorFramework ghost = stage.newClient(stage.server.getConnectString());
    Stage.occupy(ghost, t(0), "g1_c1-0");

    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    stage.recorder.clear();
    ghost.close();
    await().atMost(Stage.SETTLE).until(() -> stage.owner(t(0)).isEmpty());
    stage.awaitQuiet();

    assertThat(member.assignment()).isEqualTo(Assignment.of("t", PartitionSet.range(0, 4)));
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
  }

  @Test
  void d7ReleasesNodesThatBelongToAnother() throws Exception {
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(1)));
    stage.occupy(t(1), "other-0");

    stage.touch("t");
    stage.awaitBalance(member);

    assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, t(1))).getEphemeralOwner())
        .isEqualTo(stage.stat(ZnodePaths.ids(Stage.GROUP) + "/g1_c1").getEphemeralOwner());
    assertThat(stage.recorder.count(Observation.ClaimLost.class)).isZero();
  }

  @Test
  void d10OneUnreadableRegistrationStopsEveryone() throws Exception {
    GroupMember member = stage.joinWithFourTries("c1");
    stage.awaitBalance(member);
    String poison = ZnodePaths.ids(Stage.GROUP) + "/g1_poison";

    stage.admin.create().forPath(poison, "{}".getBytes(UTF_8));

    awaitGiveUp();
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    stage.admin.delete().forPath(poison);
    stage.awaitBalance(member);
  }

  @Test
  void d19WatchesBrokersForEverOnceThereWereNone() throws Exception {
    stage.admin.delete().forPath(ZnodePaths.broker(1));
    GroupMember member = stage.join("c1");
    stage.awaitQuiet();
    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .singleElement()
        .matches(end -> !end.failed() && end.after().isEmpty());

    stage.brokers(1);
    stage.awaitBalance(member);
    stage.recorder.clear();
    stage.brokers(2);
    stage.awaitQuiet();

    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("brokers");
  }

  @Test
  void aGroupWithoutBrokersGoesOnAsItIs() throws Exception {
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    long czxid = stage.stat(ZnodePaths.owner(Stage.GROUP, t(0))).getCzxid();
    stage.admin.delete().forPath(ZnodePaths.broker(1));
    stage.recorder.clear();

    stage.touch("t");
    stage.awaitQuiet();

    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .singleElement()
        .matches(end -> !end.failed() && end.after().size() == 4);
    assertThat(member.assignment().size()).isEqualTo(4);
    assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, t(0))).getCzxid()).isEqualTo(czxid);
    assertThat(stage.recorder.ledger()).isEmpty();
  }

  @Test
  void aBackOffDoesNotDelayAClose() throws Exception {
    stage.occupy(t(2), "someone");
    ZkRebalanceEngine patient = stage.engine(stage.config.withRebalance(4, Duration.ofHours(1)));
    GroupMember member = patient.join(stage.member("c1"), OwnershipListener.none());
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.AttemptEnded.class) == 1);

    member.close();

    assertThat(stage.ids()).isEmpty();
    assertThat(stage.recorder.count(Observation.GaveUp.class)).isZero();
  }
}
