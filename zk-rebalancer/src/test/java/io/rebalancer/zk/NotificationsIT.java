package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import java.util.List;
import java.util.stream.IntStream;
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

  /**
   * Makes the change, waits for that many notifications and for quiet, and demands that neither
   * side has counted another number.
   */
  private void tells(int expected, Change change) throws Exception {
    stage.recorder.clear();
    long before = Stage.serverNotifications();
    change.make();
    await().atMost(Stage.SETTLE).until(() -> delivered() >= expected);
    stage.awaitQuiet();
    assertThat(delivered()).as("told to the members").isEqualTo(expected);
    assertThat(Stage.serverNotifications() - before).as("sent by the server").isEqualTo(expected);
  }

  private interface Change {
    void make() throws Exception;
  }

  private long delivered() {
    return stage.recorder.count(Observation.WatchDelivered.class);
  }

  private void awaitAttempts(int expected) {
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.AttemptEnded.class) == expected);
  }

  @Test
  void joinTellsEveryOldMember() throws Exception {
    settled(Profile.V1_1);

    tells(MEMBERS, () -> stage.join("c9"));
    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .allMatch(event -> event.type().equals("NodeChildrenChanged"))
        .allMatch(event -> event.path().equals("/consumers/g1/ids"));
  }

  @Test
  void leaveTellsEveryMemberAndTheLeaverToo() throws Exception {
    settled(Profile.V1_1);

    tells(MEMBERS, () -> members[1].close());
    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .extracting(Observation.WatchDelivered::session)
        .containsExactlyInAnyOrder("c0", "c1", "c2", "c3");
  }

  @Test
  void crashTellsTheOthers() throws Exception {
    settled(Profile.V1_1);

    tells(
        MEMBERS - 1,
        () -> {
          members[1].crash();
          stage.awaitShares(members[0], members[2], members[3]);
        });
  }

  @Test
  void newBrokerTellsEveryoneAsDocumented() throws Exception {
    settled(Profile.DOCUMENTED);

    tells(MEMBERS, () -> stage.brokers(4));
    awaitAttempts(MEMBERS);
    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .allMatch(end -> end.before().equals(end.after()));
  }

  @Test
  void newBrokerTellsNobodyInKafka11() throws Exception {
    settled(Profile.V1_1);

    tells(0, () -> stage.brokers(4));
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
  }

  @Test
  void newPartitionsTellEveryone() throws Exception {
    settled(Profile.V1_1);

    tells(MEMBERS, () -> stage.topic("t", PARTITIONS + 4));
    stage.awaitShares(members);
  }

  @Test
  void d21DeletedTopicTellsEveryoneAndTriggersNothing() throws Exception {
    settled(Profile.V1_1);

    tells(MEMBERS, () -> stage.admin.delete().forPath("/brokers/topics/t"));
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    assertThat(members[0].assignment().isEmpty()).isFalse();
  }

  /** How many there are is a race; that both sides count the same number is none. */
  @Test
  void aStormIsCountedAlikeOnBothSides() throws Exception {
    stage = new Stage(Profile.DOCUMENTED).brokers(1, 2).topic("t", 16);
    long before = Stage.serverNotifications();

    List<GroupMember> joined =
        IntStream.range(0, 8).parallel().mapToObj(i -> stage.join("c" + i)).toList();
    stage.awaitBalance(joined.toArray(GroupMember[]::new));
    stage.brokers(3);
    joined.subList(0, 5).parallelStream().forEach(GroupMember::close);
    stage.awaitBalance(joined.subList(5, 8).toArray(GroupMember[]::new));

    assertThat(delivered()).isEqualTo(Stage.serverNotifications() - before).isGreaterThan(16);
  }

  /** A rewrite of the same data moves nothing, so no race decides and every count is exact. */
  @Test
  void rewrittenTopicCostsWhatTheModelSays() throws Exception {
    settled(Profile.V1_1);
    long writesBefore = Stage.metric("cnt_updatelatency");

    tells(
        MEMBERS,
        () -> {
          stage.touch("t");
        });
    awaitAttempts(MEMBERS);
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
