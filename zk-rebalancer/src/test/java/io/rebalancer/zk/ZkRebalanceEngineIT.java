package io.rebalancer.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.core.engine.GroupMember;
import io.rebalancer.core.znode.ZnodePaths;
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
}
