package io.rebalancer.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rebalancer.coordinator.store.ZkCoordination;
import io.rebalancer.core.observe.Observation;
import io.rebalancer.core.observe.RebalanceObserver;
import io.rebalancer.core.testkit.LogCapture;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StartIT {

  private static final Duration DEADLINE = Duration.ofSeconds(20);

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
        failure(CoordinatorConfig.of("127.0.0.1:1,nosuch.invalid:2", new HostPort("127.0.0.1", 0)));

    assertThat(failure.kind()).isEqualTo(CoordinatorStartException.Kind.ZOOKEEPER);
    assertThat(failure)
        .hasMessage(
            "ZooKeeper 127.0.0.1:1,nosuch.invalid:2: no connection within 5000 ms:"
                + " 127.0.0.1:1: Connection refused; nosuch.invalid:2: the name does not resolve");
  }

  @Test
  void aSecondCoordinatorWaitsWhileTheFirstLivesAndTakesOverWhenItIsGone() throws Exception {
    List<Observation> asked = new CopyOnWriteArrayList<>();
    try (LogCapture log = LogCapture.ofInfo(ZkCoordination.class.getName());
        Stage stage = Stage.withCoordinator();
        CoordinatorNode standby = CoordinatorNode.start(stage.config(), asked::add)) {
      assertThat(standby.isCoordinating()).isFalse();
      int first = asked.size();
      await().atMost(DEADLINE).until(() -> asked.size() >= 3 * first);
      assertThat(log.messages())
          .as("said once, though it has tried three times")
          .containsExactly(
              "INFO waiting as a standby: coordinator 1000000000 at "
                  + stage.bootstrap()
                  + " holds the slots");
      try (Socket client = new Socket()) {
        client.connect(standby.address());
        assertThat(client.getInputStream().read()).as("turned away").isEqualTo(-1);
      }
      assertThat(standby.takenOver().toCompletableFuture()).isNotDone();

      stage.node.close();
      stage.node.close();

      assertThat(standby.takenOver().toCompletableFuture()).succeedsWithin(DEADLINE);
      assertThat(standby.isCoordinating()).isTrue();
      assertThat(new String(stage.admin.getData().forPath("/rebalancer/slots/49")))
          .isEqualTo(
              "{\"format\":1,\"epoch\":3,\"coordinator\":1000000000,\"address\":\"127.0.0.1:"
                  + standby.address().getPort()
                  + "\"}");
      try (WireClient client = new WireClient(standby)) {
        assertThat(
                client.<MetadataResponseData>ask(
                    ApiKeys.METADATA, 13, new MetadataRequestData().setTopics(null)))
            .extracting(MetadataResponseData::controllerId)
            .isEqualTo(1_000_000_000);
      }
    }
  }

  @Test
  void anAddressThatMeansEveryInterfaceIsNotToldToClients() {
    CoordinatorConfig config = CoordinatorConfig.of("127.0.0.1:1", new HostPort("0.0.0.0", 0));

    assertThatThrownBy(() -> CoordinatorNode.start(config, RebalanceObserver.none()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "advertised.listeners: that of listeners, 0.0.0.0 (expected: a HOST:PORT that clients"
                + " can connect to)");
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
