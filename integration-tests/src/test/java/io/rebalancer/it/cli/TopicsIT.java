package io.rebalancer.it.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopicsIT {

  @TempDir private Path folder;

  private EmbeddedZooKeeper zooKeeper;
  private CuratorFramework client;

  @BeforeEach
  void start() {
    zooKeeper = EmbeddedZooKeeper.start();
    client =
        CuratorFrameworkFactory.newClient(
            zooKeeper.connectString() + "/kafka", new RetryOneTime(100));
    client.start();
  }

  @AfterEach
  void stop() {
    client.close();
    zooKeeper.close();
  }

  private CommandLineProcess.Finished topics(String... arguments) throws Exception {
    List<String> all =
        new ArrayList<>(List.of("topics", "--zookeeper", zooKeeper.connectString() + "/kafka"));
    all.addAll(List.of(arguments));
    return CommandLineProcess.run(folder, all.toArray(String[]::new));
  }

  private String text(String path) throws Exception {
    return new String(client.getData().forPath(path), UTF_8);
  }

  @Test
  void aTopicIsCreatedListedAlteredAndDeletedInTheHistoricalLayout() throws Exception {
    var created = topics("--create", "--topic", "t", "--partitions", "3", "--brokers", "2");

    assertThat(created.err()).isEmpty();
    assertThat(created.out()).isEqualTo("created t with 3 partitions\n");
    assertThat(text("/brokers/topics/t"))
        .isEqualTo("{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[2],\"2\":[1]}}");
    assertThat(text("/brokers/ids/2")).contains("\"standin\":true");

    assertThat(topics("--alter", "--topic", "t", "--partitions", "4").exitCode()).isZero();
    assertThat(text("/brokers/topics/t"))
        .isEqualTo("{\"version\":1,\"partitions\":{\"0\":[1],\"1\":[2],\"2\":[1],\"3\":[2]}}");
    assertThat(topics("--list").out()).isEqualTo("t\t4\n");
    assertThat(topics("--list", "--output", "json").out())
        .isEqualTo("[{\"topic\":\"t\",\"partitions\":4}]\n");

    assertThat(topics("--delete", "--topic", "t").out()).isEqualTo("deleted t\n");
    assertThat(client.checkExists().forPath("/brokers/topics/t")).isNull();
  }

  @Test
  void whatDoesNotFitTheTopicsThereAreIsRefusedAndChangesNothing() throws Exception {
    assertThat(topics("--create", "--topic", "t", "--partitions", "3").err())
        .isEqualTo(
            "rebalancer: --create: no broker is registered under /brokers/ids: add --brokers N\n");
    topics("--create", "--topic", "t", "--partitions", "3", "--brokers", "1");
    String before = text("/brokers/topics/t");

    var again = topics("--create", "--topic", "t", "--partitions", "5");
    assertThat(again.err()).isEqualTo("rebalancer: --topic: t exists\n");
    assertThat(again.exitCode()).isEqualTo(1);
    var fewer = topics("--alter", "--topic", "t", "--partitions", "3");
    assertThat(fewer.err())
        .isEqualTo("rebalancer: --partitions: 3 (expected: more than the 3 that topic t has)\n");
    assertThat(fewer.exitCode()).isEqualTo(2);
    var unknown = topics("--delete", "--topic", "u");
    assertThat(unknown.err()).isEqualTo("rebalancer: --topic: u does not exist\n");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(text("/brokers/topics/t")).isEqualTo(before);
  }

  @Test
  void aListOfWhatIsNotThereCreatesNothing() throws Exception {
    var listed = topics("--list");

    assertThat(listed.out()).isEmpty();
    assertThat(client.usingNamespace(null).checkExists().forPath("/")).isNull();
  }
}
