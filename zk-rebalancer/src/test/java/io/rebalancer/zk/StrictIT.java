package io.rebalancer.zk;

import static io.rebalancer.zk.Stage.t;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.engine.MemberConfig;
import io.rebalancer.core.engine.OwnershipListener;
import io.rebalancer.core.model.Assignment;
import io.rebalancer.core.model.TopicFilter;
import io.rebalancer.core.model.WildcardSubscription;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.testkit.LogCapture;
import io.rebalancer.core.znode.ZnodePaths;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the strict mode heals; {@link DefectsIT} shows each without it. */
class StrictIT {

  private static final String REGISTRATION = ZnodePaths.ids(Stage.GROUP) + "/g1_c1";

  private Stage stage;

  @BeforeEach
  void open() throws Exception {
    stage = new Stage(Profile.V1_1).brokers(1).topic("t", 4);
  }

  @AfterEach
  void close() throws Exception {
    stage.close();
  }

  private GroupMember join(String name) {
    return stage
        .engine(stage.config.withRebalance(2, Duration.ofMillis(50)).withStrict(true))
        .join(stage.member(name), OwnershipListener.none());
  }

  private void awaitFailures(int count) {
    await()
        .atMost(Stage.SETTLE)
        .until(
            () ->
                stage.recorder.of(Observation.AttemptEnded.class).stream()
                        .filter(Observation.AttemptEnded::failed)
                        .count()
                    >= count);
  }

  private void assertNobodyGaveUp() {
    assertThat(stage.recorder.count(Observation.GaveUp.class)).isZero();
  }

  @Test
  void d3GoesOnUntilTheObstacleIsGone() throws Exception {
    stage.occupy(t(2), "someone");
    GroupMember member = join("c1");
    awaitFailures(5);

    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(2)));

    stage.awaitBalance(member);
    assertNobodyGaveUp();
  }

  @Test
  void d6BelievesItsNameOnlyInItsOwnSession() throws Exception {
    CuratorFramework ghost = stage.newClient(stage.server.getConnectString());
    Stage.occupy(ghost, t(0), "g1_c1-0");
    GroupMember member = join("c1");
    awaitFailures(3);
    assertThat(member.assignment()).isEqualTo(Assignment.empty());
    assertThat(stage.recorder.of(Observation.ClaimLost.class))
        .allMatch(lost -> lost.owner().equals("g1_c1-0") && lost.partition().equals(t(0)));

    ghost.close();

    stage.awaitBalance(member);
    assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, t(0))).getEphemeralOwner())
        .isEqualTo(stage.stat(REGISTRATION).getEphemeralOwner());
  }

  @Test
  void d7LeavesAnothersNodeAlone() throws Exception {
    GroupMember member = join("c1");
    stage.awaitBalance(member);
    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(1)));
    stage.occupy(t(1), "other-0");
    long czxid = stage.stat(ZnodePaths.owner(Stage.GROUP, t(1))).getCzxid();

    stage.touch("t");
    awaitFailures(3);

    assertThat(stage.stat(ZnodePaths.owner(Stage.GROUP, t(1))).getCzxid()).isEqualTo(czxid);
    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(1)));
    stage.awaitBalance(member);
    assertNobodyGaveUp();
  }

  @Test
  void d21LetsGoOfADeletedTopic() throws Exception {
    GroupMember member = join("c1");
    stage.awaitBalance(member);

    stage.admin.delete().forPath(ZnodePaths.topic("t"));

    await().atMost(Stage.SETTLE).until(() -> member.assignment().isEmpty());
    assertThat(stage.owner(t(0))).isEmpty();
  }

  @Test
  void d10SkipsARegistrationThatItCannotReadAndSaysWhich() throws Exception {
    try (LogCapture log = LogCapture.of("io.rebalancer.zk.registry.Unreadable")) {
      GroupMember member = join("c1");
      stage.awaitBalance(member);
      stage.recorder.clear();
      String poison = ZnodePaths.ids(Stage.GROUP) + "/g1_poison";

      stage.admin.create().forPath(poison, "x".repeat(300).getBytes(UTF_8));
      await()
          .atMost(Stage.SETTLE)
          .until(() -> stage.recorder.count(Observation.AttemptEnded.class) > 0);

      stage.awaitBalance(member);
      assertThat(stage.recorder.of(Observation.AttemptEnded.class))
          .noneMatch(Observation.AttemptEnded::failed);
      assertThat(log.messages())
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("WARN g1_c1: cannot read " + poison + ": \"" + "x".repeat(200) + "...\"")
          .endsWith(": skipped");
    }
  }

  @Test
  void aWildcardFollowsTheTopicsAlsoWhenItsFirstTriesFailed() throws Exception {
    stage.occupy(t(2), "someone");
    GroupMember member =
        stage
            .engine(stage.config.withRebalance(2, Duration.ofMillis(50)).withStrict(true))
            .join(
                new MemberConfig(
                    Stage.GROUP, "c1", new WildcardSubscription(TopicFilter.whiteList("t.*"), 1)),
                OwnershipListener.none());
    awaitFailures(3);
    stage.admin.delete().forPath(ZnodePaths.owner(Stage.GROUP, t(2)));
    stage.awaitBalance(member);

    stage.topic("t2", 1);

    stage.awaitBalance(member);
  }
}
