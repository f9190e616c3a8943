package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.Observation.Requested.Kind;
import io.rebalancer.core.znode.ZnodePaths;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Members that subscribe by a pattern, and the topic watcher. */
class WildcardsIT {

  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t1", 4).topic("u1", 4);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private GroupMember join(String name, TopicFilter filter) {
    return join(stage.engine, name, filter);
  }

  private static GroupMember join(ZkRebalanceEngine engine, String name, TopicFilter filter) {
    return engine.join(
        new MemberConfig(Stage.GROUP, name, new WildcardSubscription(filter, 1)),
        OwnershipListener.none());
  }

  private static Assignment of(Map<String, PartitionSet> topics) {
    return Assignment.copyOf(topics);
  }

  private void awaitOwned(GroupMember member, Map<String, PartitionSet> topics) {
    await().atMost(Stage.SETTLE).until(() -> member.assignment().equals(of(topics)));
    stage.awaitQuiet();
  }

  private String registration(String member) throws Exception {
    return stage.text(ZnodePaths.ids(Stage.GROUP) + "/g1_" + member);
  }

  @Test
  void aMemberOwnsWhatMatchesAndRegistersItsPattern() throws Exception {
    GroupMember member = join("c1", TopicFilter.whiteList("t\\d+, x"));

    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4)));

    assertThat(registration("c1"))
        .matches(
            "\\{\"version\":1,\"subscription\":\\{\"t\\\\\\\\d\\+\\|x\":1\\},"
                + "\"pattern\":\"white_list\",\"timestamp\":\"\\d{13}\"\\}");
    assertThat(stage.owner(Stage.t(0))).isEmpty();
    assertThat(stage.text("/consumers/g1/owners/t1/0")).isEqualTo("g1_c1-0");
  }

  @Test
  void wildcardAndStaticMembersShareATopic() throws Exception {
    GroupMember all = join("a", TopicFilter.blackList("u.*"));
    GroupMember two = join("b", TopicFilter.whiteList(".*"));

    awaitOwned(all, Map.of("t1", PartitionSet.range(0, 2)));
    awaitOwned(two, Map.of("t1", PartitionSet.range(2, 2), "u1", PartitionSet.range(0, 4)));
    GroupMember named = stage.join("c");

    awaitOwned(all, Map.of("t1", PartitionSet.range(0, 2)));
    awaitOwned(two, Map.of("t1", PartitionSet.range(2, 1), "u1", PartitionSet.range(0, 2)));
    awaitOwned(named, Map.of("t1", PartitionSet.range(3, 1), "u1", PartitionSet.range(2, 2)));
  }

  @Test
  void aNewTopicIsOwnedAndWatchedAndTheRegistrationIsNotRewritten() throws Exception {
    GroupMember member = join("c1", TopicFilter.whiteList("t.*"));
    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4)));
    long mzxid = stage.stat(ZnodePaths.ids(Stage.GROUP) + "/g1_c1").getMzxid();
    stage.recorder.clear();

    stage.topic("t2", 2);
    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4), "t2", PartitionSet.range(0, 2)));
    assertThat(stage.recorder.of(Observation.AttemptStarted.class))
        .extracting(Observation.AttemptStarted::trigger)
        .containsExactly("topics");

    stage.topic("t2", 3);
    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4), "t2", PartitionSet.range(0, 3)));
    assertThat(stage.stat(ZnodePaths.ids(Stage.GROUP) + "/g1_c1").getMzxid()).isEqualTo(mzxid);
  }

  @Test
  void aTopicThatDoesNotMatchIsANotificationAndNoRebalance() throws Exception {
    GroupMember member = join("c1", TopicFilter.whiteList("t.*"));
    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4)));
    stage.recorder.clear();

    stage.topic("x", 2);
    await()
        .atMost(Stage.SETTLE)
        .until(() -> stage.recorder.count(Observation.WatchDelivered.class) == 1);
    stage.awaitQuiet();

    assertThat(stage.recorder.of(Observation.WatchDelivered.class))
        .allMatch(event -> event.path().equals("/brokers/topics"));
    assertThat(stage.recorder.count(Observation.AttemptStarted.class)).isZero();
    // The watch set again with two reads, and the list once more by the listener.
    assertThat(
            stage.recorder.of(Observation.Requested.class).stream()
                .filter(request -> request.kind() == Kind.READ))
        .hasSize(3);
  }

  @Test
  void aDeletedTopicIsReleased() throws Exception {
    GroupMember member = join("c1", TopicFilter.whiteList(".*"));
    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4), "u1", PartitionSet.range(0, 4)));

    stage.admin.delete().forPath(ZnodePaths.topic("u1"));

    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4)));
  }

  @Test
  void internalTopicsAreLeftOutUnlessTheyAreAskedFor() throws Exception {
    stage.topic("__consumer_offsets", 1).topic("__transaction_state", 1);
    GroupMember member = join("c1", TopicFilter.whiteList(".*"));
    awaitOwned(member, Map.of("t1", PartitionSet.range(0, 4), "u1", PartitionSet.range(0, 4)));
    member.close();

    GroupMember greedy =
        join(
            stage.engine(stage.config.withExcludeInternalTopics(false)),
            "c1",
            TopicFilter.whiteList("_.*"));

    awaitOwned(
        greedy,
        Map.of(
            "__consumer_offsets", PartitionSet.range(0, 1),
            "__transaction_state", PartitionSet.range(0, 1)));
  }

  @Test
  void withoutAnyTopicItWaitsForTheFirst() throws Exception {
    GroupMember member = join("c1", TopicFilter.whiteList("later"));
    awaitOwned(member, Map.of());

    stage.topic("later", 2);

    awaitOwned(member, Map.of("later", PartitionSet.range(0, 2)));
  }
}
