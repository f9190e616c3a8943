package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rebalancer.core.observe.RebalanceObserver;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StartIT {

  private static CoordinatorStartException failure(CoordinatorConfig config) {
    try (CoordinatorNode node = CoordinatorNode.start(config, RebalanceObserver.none())) {
      throw new AssertionError("started at " + node.address());
    } catch (CoordinatorStartException e) {
      return e;
    }
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      HostPort address = new HostPort("127.0.0.1", taken.getLocalPort());

      CoordinatorStartException failure = failure(CoordinatorConfig.of("127.0.0.1:1", address));

      assertThat(failure.kind()).isEqualTo(CoordinatorStartException.Kind.LISTEN);
      assertThat(failure).hasMessageStartingWith("cannot listen on " + address + ": ");
      assertThat(failure.getMessage()).doesNotContain("\n");
    }
  }

  @Test
  void anUnreachableZookeeperIsNamed() {
    CoordinatorStartException failure =
        failure(CoordinatorConfig.of("127.0.0.1:1", new HostPort("127.0.0.1", 0)));

    assertThat(failure.kind()).isEqualTo(CoordinatorStartException.Kind.ZOOKEEPER);
    assertThat(failure).hasMessage("ZooKeeper 127.0.0.1:1: no connection within 5000 ms");
  }

  @Test
  void aSecondCoordinatorIsRefusedWhileTheFirstLivesAndMayStartWhenItIsGone() throws Exception {
    try (Stage stage = Stage.withCoordinator()) {
      CoordinatorStartException failure = failure(stage.config());
      assertThat(failure.kind()).isEqualTo(CoordinatorStartException.Kind.OTHER_COORDINATOR);
      assertThat(failure)
          .hasMessageEndingWith(
              "coordinator 1000000000 at " + stage.bootstrap() + " holds the slots");

      stage.node.close();
      stage.node.close();
      stage.startCoordinator();

      assertThat(new String(stage.admin.getData().forPath("/rebalancer/slots/49")))
          .isEqualTo(
              "{\"format\":1,\"epoch\":3,\"coordinator\":1000000000,\"address\":\""
                  + stage.bootstrap()
                  + "\"}");
    }
  }

  @Test
  void aChrootThatDoesNotExistIsNamed() throws Exception {
    try (Stage stage = new Stage()) {
      CoordinatorConfig config =
          CoordinatorConfig.of(
              stage.zookeeper.getConnectString() + "/absent", new HostPort("127.0.0.1", 0));

      assertThat(failure(config))
          .hasMessageEndingWith("/absent: the chroot of the connect string does not exist");
    }
  }

  @Test
  void aSessionLongerThanMembersBearIsRefused() throws Exception {
    try (Stage stage = new Stage()) {
      CoordinatorConfig config =
          stage
              .config()
              .withZookeeperSessionTimeout(Duration.ofMillis(300))
              .withGroupMinSessionTimeout(Duration.ofMillis(800));

      assertThatThrownBy(() -> CoordinatorNode.start(config, RebalanceObserver.none()))
          .hasMessageContaining("its shortest session is 500 ms")
          .hasMessageContaining("group.min.session.timeout.ms");
    }
  }
}
