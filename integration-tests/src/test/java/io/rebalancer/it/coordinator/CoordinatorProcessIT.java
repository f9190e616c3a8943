package io.rebalancer.it.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import io.rebalancer.it.cli.CommandLineProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code rebalancer coordinator}, as a process, with an unmodified KafkaConsumer. */
class CoordinatorProcessIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration ZOOKEEPER_SESSION = Duration.ofSeconds(3);

  @TempDir private Path folder;

  @Test
  void itSaysWhereItListensServesAKafkaConsumerAndEndsCleanlyOnSigterm() throws Exception {
    try (EmbeddedZooKeeper zooKeeper = EmbeddedZooKeeper.start();
        CuratorFramework client =
            CuratorFrameworkFactory.newClient(zooKeeper.connectString(), new RetryOneTime(100))) {
      client.start();
      assertThat(
              CommandLineProcess.run(
                      folder,
                      ("topics --create --topic t --partitions 5 --brokers 1 --zookeeper "
                              + zooKeeper.connectString())
                          .split(" "))
                  .exitCode())
          .isZero();
      try (CommandLineProcess coordinator =
          CommandLineProcess.start(
              folder,
              "coordinator",
              "--zookeeper",
              zooKeeper.connectString(),
              "--listen",
              "127.0.0.1:0",
              "--metrics-port",
              "0")) {
        String address = listening(coordinator);
        assertThat(coordinator.out())
            .matches(
                "metrics at http://127\\.0\\.0\\.1:\\d+/metrics\n"
                    + "listening on 127\\.0\\.0\\.1:\\d+\n");
        String metrics =
            coordinator.out().lines().findFirst().orElseThrow().substring("metrics at ".length());
        assertThat(client.getChildren().forPath("/rebalancer/coordinators")).hasSize(1);

        consume(address);
        assertThat(get(metrics).body())
            .contains(
                "kafka_coordinator_group_GroupMetadataManager_NumGroups 1.0",
                "kafka_coordinator_group_GroupMetadataManager_NumGroupsEmpty 1.0",
                "kafka_server_group_coordinator_metrics_group_completed_rebalance_count_total 1.0",
                "rebalancer_coordinator_partitions_assigned_total 5.0",
                "rebalancer_coordinator_partitions_revoked_total 5.0",
                "rebalancer_coordinator_rebalance_seconds_count{reason=\"MEMBER_JOIN\"} 1",
                "kafka_network_RequestMetrics_TotalTimeMs_seconds_count{request=\"SyncGroup\"} 1");
        assertThat(get(metrics.replace("/metrics", "/livez")).statusCode()).isEqualTo(200);
        assertThat(get(metrics.replace("/metrics", "/readyz")).statusCode()).isEqualTo(200);
        assertThat(get(metrics.replace("/metrics", "/metric")).statusCode()).isEqualTo(404);
        demandStandby(zooKeeper.connectString(), address);
        coordinator.signal("TERM");

        CommandLineProcess.Finished finished = coordinator.awaitEnd();
        assertThat(finished.err())
            .contains("CompletingRebalance -> Stable")
            .doesNotContain("WARN")
            .doesNotContain("Exception");
        assertThat(finished.exitCode()).isZero();
      }
      assertThat(client.getChildren().forPath("/rebalancer/coordinators")).isEmpty();
      assertThat(client.checkExists().forPath("/rebalancer/groups/g")).isNotNull();
    }
  }

  /** A second coordinator says that it waits for {@code first}, is not ready, and can be ended. */
  private void demandStandby(String zooKeeper, String first) throws Exception {
    String[] command =
        ("coordinator --zookeeper " + zooKeeper + " --listen 127.0.0.1:0 --metrics-port 0")
            .split(" ");
    try (CommandLineProcess standby = CommandLineProcess.start(folder, command)) {
      await().atMost(PATIENCE).until(() -> standby.out().endsWith("/metrics\n"));
      String metrics = standby.out().strip().substring("metrics at ".length());
      assertThat(get(metrics.replace("/metrics", "/livez")).statusCode()).isEqualTo(200);
      assertThat(get(metrics.replace("/metrics", "/readyz")).statusCode()).isEqualTo(503);

      standby.signal("TERM");

      CommandLineProcess.Finished finished = standby.awaitEnd();
      assertThat(finished.exitCode()).as(finished.err()).isZero();
      assertThat(finished.out()).doesNotContain("listening");
      assertThat(finished.err())
          .contains("waiting as a standby: coordinator 1000000000 at " + first + " holds the slots")
          .hasLineCount(1);
    }
  }

  @Test
  void sigtermEndsItCleanlyAlsoWhileItStarts() throws Exception {
    int nobody;
    int metrics;
    try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        ServerSocket two = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      nobody = one.getLocalPort();
      metrics = two.getLocalPort();
    }
    Path config = folder.resolve("patient.properties");
    Files.writeString(
        config,
        "listeners=127.0.0.1:0\nzookeeper.connection.timeout.ms=600000\nzookeeper.connect=127.0.0.1:"
            + nobody);
    String[] command = ("coordinator --config " + config + " --metrics-port " + metrics).split(" ");
    try (CommandLineProcess coordinator = CommandLineProcess.start(folder, command)) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(
              () -> get("http://127.0.0.1:" + metrics + "/readyz").statusCode(), is -> is == 503);

      coordinator.signal("TERM");

      CommandLineProcess.Finished finished = coordinator.awaitEnd();
      assertThat(finished.exitCode()).as(finished.err()).isZero();
      assertThat(finished.out() + finished.err()).isEmpty();
    }
  }

  @Test
  void withoutAZooKeeperItHasOneOfItsOwnWhoseDataStaysWhereTheyAreToldTo() throws Exception {
    Path data = folder.resolve("data");
    Path config = folder.resolve("coordinator.properties");
    Files.writeString(
        config,
        "listeners=127.0.0.1:0\ngroup.initial.rebalance.delay.ms=0\nlog.dirs=/d\n"
            + "zookeeper.session.timeout.ms="
            + ZOOKEEPER_SESSION.toMillis()
            + "\n");
    String[] command = {
      "coordinator", "--config", config.toString(), "--data-dir", data.toString(), "--topics", "t:5"
    };
    try (CommandLineProcess coordinator = CommandLineProcess.start(folder, command)) {
      consume(listening(coordinator));

      CommandLineProcess.Finished second = CommandLineProcess.run(folder, command);
      assertThat(second.err())
          .isEqualTo(
              "rebalancer: "
                  + config
                  + ": keys that are not known: [log.dirs]\nrebalancer: "
                  + data
                  + ": another process uses it\n");
      assertThat(second.exitCode()).isEqualTo(3);

      coordinator.signal("KILL");
      coordinator.awaitEnd();
    }
    try (CommandLineProcess again = CommandLineProcess.start(folder, command)) {
      String address = listening(again);
      assertThat(again.err().lines().filter(line -> line.contains("waiting as a standby")))
          .as("for its predecessor's ZooKeeper session, unless a busy machine outlasts that")
          .hasSizeLessThan(2);
      String zooKeeper = again.out().lines().findFirst().orElseThrow();
      try (CuratorFramework client =
          CuratorFrameworkFactory.newClient(
              zooKeeper.substring("zookeeper at ".length()), new RetryOneTime(100))) {
        client.start();
        assertThat(client.checkExists().forPath("/rebalancer/groups/g")).isNotNull();
      }
      demandQuietAfterAStop(again, address);
      again.signalAll("TERM");
      CommandLineProcess.Finished finished = again.awaitEnd();
      assertThat(finished.err()).doesNotContain("slots not given back");
      assertThat(finished.exitCode()).isZero();
    }
  }

  /** While it stands still its ZooKeeper session ends, and members go on asking it. */
  private static void demandQuietAfterAStop(CommandLineProcess coordinator, String address)
      throws Exception {
    String zooKeeper = coordinator.out().lines().findFirst().orElseThrow();
    try (CuratorFramework client =
            CuratorFrameworkFactory.newClient(
                zooKeeper.substring("zookeeper at ".length()), new RetryOneTime(100));
        KafkaConsumer<byte[], byte[]> member = subscribed(address)) {
      client.start();
      awaitAll(member);
      coordinator.signal("STOP");
      await()
          .atMost(PATIENCE)
          .until(() -> client.getChildren().forPath("/rebalancer/coordinators").isEmpty());
      // After a second session its client believes in no connection, and is told of the expiry.
      await().pollDelay(ZOOKEEPER_SESSION).until(() -> true);
      String before = coordinator.err();
      coordinator.signal("CONT");
      await()
          .atMost(PATIENCE)
          .until(() -> !client.getChildren().forPath("/rebalancer/coordinators").isEmpty());
      awaitAll(member);
      assertThat(coordinator.err().substring(before.length()).lines())
          .filteredOn(line -> line.contains("ZkCoordination"))
          .as(coordinator.err())
          .hasSizeLessThan(10);
    }
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
  }

  private static String listening(CommandLineProcess coordinator) throws IOException {
    await().atMost(PATIENCE).until(() -> coordinator.out().contains("listening on "));
    await().atMost(PATIENCE).until(() -> coordinator.out().endsWith("\n"));
    return coordinator.out().strip().replaceFirst("(?s).*listening on ", "");
  }

  private static void consume(String address) {
    try (KafkaConsumer<byte[], byte[]> consumer = subscribed(address)) {
      awaitAll(consumer);
    }
  }

  private static KafkaConsumer<byte[], byte[]> subscribed(String address) {
    Map<String, Object> config =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            address,
            ConsumerConfig.GROUP_ID_CONFIG,
            "g",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false);
    KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    consumer.subscribe(List.of("t"));
    return consumer;
  }

  private static void awaitAll(KafkaConsumer<byte[], byte[]> consumer) {
    Set<TopicPartition> all =
        IntStream.range(0, 5).mapToObj(p -> new TopicPartition("t", p)).collect(Collectors.toSet());
    await()
        .atMost(PATIENCE)
        .pollInSameThread()
        .untilAsserted(
            () -> {
              consumer.poll(Duration.ofMillis(50));
              assertThat(consumer.assignment()).isEqualTo(all);
            });
  }
}
