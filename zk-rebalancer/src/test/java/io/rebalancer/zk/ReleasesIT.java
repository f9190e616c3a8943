package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.assignor.RoundRobinAssignor;
import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What profiles 0.8 and 0.7 do otherwise than 1.1. */
class ReleasesIT {

  private static final String BIG_NUMBER =
      "{\"version\":1,\"subscription\":{},\"pattern\":\"static\",\"timestamp\":1796033893019}";

  private Stage stage;

  private void open(Profile profile) throws Exception {
    stage = new Stage(profile).brokers(1).topic("t", 11);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private ZkRebalanceEngine impatient(String strategy) {
    return stage.engine(
        stage.config.withRebalance(2, Duration.ofMillis(20)).withAssignmentStrategy(strategy));
  }

  private static GroupMember join(ZkRebalanceEngine engine, String name, Map<String, Integer> t) {
    return engine.join(
        new MemberConfig(Stage.GROUP, name, Subscription.copyOf(t)), OwnershipListener.none());
  }

  private void awaitGiveUps(int count) {
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.GaveUp.class) == count);
  }

  @Test
  void roundRobinOf08HasItsOwnOrder() throws Exception {
    open(Profile.V0_8);
    ZkRebalanceEngine engine = stage.engine(stage.config.withAssignmentStrategy("roundrobin"));
    GroupMember a = join(engine, "a", Map.of("t", 1));
    GroupMember b = join(engine, "b", Map.of("t", 1));
    Subscription one = Subscription.copyOf(Map.of("t", 1));

    Map<MemberId, Assignment> shares =
        new RoundRobinAssignor(RoundRobinAssignor.Release.V0_8_2)
            .assign(
                Map.of("t", PartitionSet.range(0, 11)),
                Map.of(new MemberId("g1_a"), one, new MemberId("g1_b"), one));

    await()
        .atMost(Stage.SETTLE)
        .untilAsserted(
            () -> {
              assertThat(a.assignment()).isEqualTo(shares.get(new MemberId("g1_a")));
              assertThat(b.assignment()).isEqualTo(shares.get(new MemberId("g1_b")));
            });
  }

  @Test
  void d14UnequalSubscriptionsStopTheHealthyToo() throws Exception {
    open(Profile.V0_8);
    stage.topic("u", 1);
    GroupMember healthy = join(impatient("roundrobin"), "a", Map.of("t", 1));
    await().atMost(Stage.SETTLE).until(() -> healthy.assignment().size() == 11);

    GroupMember other = join(impatient("roundrobin"), "b", Map.of("t", 1, "u", 1));

    awaitGiveUps(2);
    assertThat(healthy.assignment()).isEqualTo(Assignment.empty());
    assertThat(other.assignment()).isEqualTo(Assignment.empty());
    assertThat(stage.recorder.count(Observation.ClaimLost.class)).isZero();
    assertThat(stage.ids()).containsExactly("g1_a", "g1_b");

    other.close();
    await().atMost(Stage.SETTLE).until(() -> healthy.assignment().size() == 11);
  }

  @Test
  void d11ANumberBeyond32BitsStopsAMemberOf08() throws Exception {
    open(Profile.V0_8);
    GroupMember old = join(impatient("range"), "a", Map.of("t", 1));
    await().atMost(Stage.SETTLE).until(() -> old.assignment().size() == 11);

    stage
        .admin
        .create()
        .forPath(ZnodePaths.ids(Stage.GROUP) + "/g1_big", BIG_NUMBER.getBytes(UTF_8));

    awaitGiveUps(1);
    assertThat(old.assignment()).isEqualTo(Assignment.empty());
  }

  @Test
  void d11ANumberBeyond32BitsIsReadBy11() throws Exception {
    open(Profile.V1_1);
    GroupMember member = stage.join("a");
    stage.awaitBalance(member);

    stage
        .admin
        .create()
        .forPath(ZnodePaths.ids(Stage.GROUP) + "/g1_big", BIG_NUMBER.getBytes(UTF_8));

    stage.awaitBalance(member);
    assertThat(stage.recorder.of(Observation.AttemptEnded.class))
        .hasSize(2)
        .noneMatch(Observation.AttemptEnded::failed);
  }

  @Test
  void anIdThatIsTakenIsWaitedForIn08() throws Exception {
    open(Profile.V0_8);
    GroupMember first = stage.join("same");
    stage.awaitBalance(first);
    long owner = stage.stat(ZnodePaths.ids(Stage.GROUP) + "/g1_same").getEphemeralOwner();
    ZkRebalanceEngine hasty =
        stage.engine(stage.config.withConnectionTimeout(Duration.ofMillis(500)));

    GroupMember second = hasty.join(stage.member("same"), OwnershipListener.none());

    assertThat(stage.stat(ZnodePaths.ids(Stage.GROUP) + "/g1_same").getEphemeralOwner())
        .isEqualTo(owner);
    assertThat(second.assignment()).isEqualTo(Assignment.empty());
    assertThat(first.assignment().size()).isEqualTo(11);
    first.close();
    stage.awaitBalance(second);
  }

  @Test
  void aWaitForATakenIdIsCutShortByAClose() throws Exception {
    open(Profile.V0_8);
    GroupMember first = stage.join("same");
    stage.awaitBalance(first);
    ZkRebalanceEngine patient =
        stage.engine(
            stage
                .config
                .withSessionTimeout(Duration.ofHours(1))
                .withConnectionTimeout(Duration.ofMillis(500)));
    GroupMember second = patient.join(stage.member("same"), OwnershipListener.none());

    second.close();

    assertThat(stage.ids()).containsExactly("g1_same");
    assertThat(first.assignment().size()).isEqualTo(11);
  }

  /** Nobody looks for the chroot, the registration is one create, and only own topics are read. */
  @Test
  void aSecondMemberOf08CostsWhatTheModelSays() throws Exception {
    open(Profile.V0_8);
    stage.awaitBalance(stage.join("c1"));
    stage.recorder.clear();

    join(stage.engine, "z", Map.of());
    stage.awaitQuiet();

    assertThat(requests("z", Kind.WRITE)).isEqualTo(1);
    // Two looks at ids for the watch; two rounds of one broker; its own registration twice; ids
    // twice; both registrations; no topic.
    assertThat(requests("z", Kind.READ)).isEqualTo(2 + 2 * 2 + 2 + 2 + 2);
  }

  private long requests(String member, Kind kind) {
    return stage.recorder.of(Observation.Requested.class).stream()
        .filter(request -> request.kind() == kind && request.session().equals(member))
        .count();
  }

  @Test
  void partitionsThatAreAddedAreNotNoticedIn07() throws Exception {
    open(Profile.V0_7);
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    stage.recorder.clear();

    stage.topic("t", 12);
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.WatchDelivered.class) == 1);
    stage.awaitQuiet();

    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .allMatch(event -> event.type().equals("NodeDataChanged"));
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    assertThat(stage.owner(t(11))).isEmpty();
  }

  @Test
  void aBrokerThatComesToATopicIsNoticedIn07() throws Exception {
    open(Profile.V0_7);
    GroupMember member = stage.join("c1");
    stage.awaitBalance(member);
    stage.recorder.clear();

    stage.admin.create().forPath(ZnodePaths.topic("t") + "/2");
    stage.awaitBalance(member);

    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .allMatch(event -> event.path().equals("/brokers/topics/t"));
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("topic");
  }
}
