package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the clients count is what the server counts, and what the model says. */
class NotificationsIT {

  private static final int MEMBERS = 4;
  private static final int BROKERS = 3;
  private static final int PARTITIONS = 9;

  private Stage stage;
  private GroupMember[] members;

  private void settled(Profile profile) throws Exception {
    stage = new Stage(profile).brokers(1, 2, 3).topic("t", PARTITIONS);
    members = new GroupMember[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
      members[i] = stage.join("c" + i);
    }
    stage.awaitBalance(members);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  /** Notifications that the change leads to until the group is quiet again; client and server. */
  private long notificationsOf(Callable<?> change) throws Exception {
    stage.recorder.clear();
    long before = Stage.serverNotifications();
    change.call();
    stage.awaitQuiet();
    long client = stage.recorder.count(Observation.WatchDelivered.class);
    assertThat(Stage.serverNotifications() - before).as("counted by the server").isEqualTo(client);
    return client;
  }

  @Test
  void joinTellsEveryOldMember() throws Exception {
    settled(Profile.V1_1);

    long told = notificationsOf(() -> stage.join("c9"));

    assertThat(told).isEqualTo(MEMBERS);
    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .allMatch(event -> event.type().equals("NodeChildrenChanged"))
        .allMatch(event -> event.path().equals("/consumers/g1/ids"));
  }

  @Test
  void leaveTellsEveryMemberAndTheLeaverToo() throws Exception {
    settled(Profile.V1_1);

    long told =
        notificationsOf(
            () -> {
              members[1].close();
              return null;
            });

    assertThat(told).isEqualTo(MEMBERS);
    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .extracting(Observation.WatchDelivered::session)
        .containsExactlyInAnyOrder("c0", "c1", "c2", "c3");
  }

  @Test
  void crashTellsTheOthers() throws Exception {
    settled(Profile.V1_1);

    long told =
        notificationsOf(
            () -> {
              members[1].crash();
              stage.awaitShares(members[0], members[2], members[3]);
              return null;
            });

    assertThat(told).isEqualTo(MEMBERS - 1);
  }

  @Test
  void newBrokerTellsEveryoneAsDocumented() throws Exception {
    settled(Profile.DOCUMENTED);

    long told = notificationsOf(() -> stage.brokers(4));

    assertThat(told).isEqualTo(MEMBERS);
    assertThat(stage.recorder.count(Observation.AttemptEnded.class)).isEqualTo(MEMBERS);
    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .allMatch(end -> end.before().equals(end.after()));
  }

  @Test
  void newBrokerTellsNobodyInKafka11() throws Exception {
    settled(Profile.V1_1);

    long told = notificationsOf(() -> stage.brokers(4));

    assertThat(told).isZero();
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
  }

  @Test
  void newPartitionsTellEveryone() throws Exception {
    settled(Profile.V1_1);

    long told = notificationsOf(() -> stage.topic("t", PARTITIONS + 4));

    assertThat(told).isEqualTo(MEMBERS);
    stage.awaitShares(members);
  }

  @Test
  void deletedTopicTellsEveryoneAndTriggersNothing() throws Exception {
    settled(Profile.V1_1);

    long told = notificationsOf(() -> stage.admin.delete().forPath("/brokers/topics/t"));

    assertThat(told).isEqualTo(MEMBERS);
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    assertThat(members[0].assignment().isEmpty()).isFalse();
  }

  /** A rewrite of the same data moves nothing, so no race decides and every count is exact. */
  @Test
  void rewrittenTopicCostsWhatTheModelSays() throws Exception {
    settled(Profile.V1_1);
    long writesBefore = Stage.metric("cnt_updatelatency");

    long told =
        notificationsOf(
            () -> {
              stage.touch("t");
              return null;
            });

    assertThat(told).isEqualTo(MEMBERS);
    assertThat(stage.recorder.count(Observation.AttemptEnded.class)).isEqualTo(MEMBERS);
    assertThat(requests(Kind.READ))
        .isEqualTo(MEMBERS * (MEMBERS + 6 + 2 * BROKERS + 1) + PARTITIONS + 2 * MEMBERS);
    assertThat(requests(Kind.WRITE)).isEqualTo(2 * PARTITIONS);
    assertThat(Stage.metric("cnt_updatelatency") - writesBefore).isEqualTo(2 * PARTITIONS + 1);
  }

  @Test
  void firstMemberCostsWhatTheModelSays() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1, 2, 3).topic("t", PARTITIONS);

    stage.awaitBalance(stage.join("c1"));

    assertThat(requests(Kind.READ)).isEqualTo((1 + 6 + 2 * BROKERS + 1) + PARTITIONS + 4);
    // Four for the registration; the first claim, in vain; its topic's node, in vain, then owners
    // and the topic's node again.
    assertThat(requests(Kind.WRITE)).isEqualTo(4 + PARTITIONS + 4);
  }

  private long requests(Kind kind) {
    return stage.recorder.of(Observation.Requested.class).stream()
        .filter(request -> request.kind() == kind)
        .count();
  }
}
