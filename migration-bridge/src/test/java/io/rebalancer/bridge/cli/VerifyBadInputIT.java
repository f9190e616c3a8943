package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What stops a group of originals is named by {@code rebalancer verify}. */
class VerifyBadInputIT {

  private static final String MEMBER =
      "{\"version\":1,\"subscription\":{\"t\":1,\"u\":1},\"pattern\":\"static\"}";

  private static EmbeddedZooKeeper zooKeeper;

  private LegacyGroup group;

  @BeforeAll
  static void start() {
    zooKeeper = EmbeddedZooKeeper.start();
  }

  @AfterAll
  static void stop() {
    zooKeeper.close();
  }

  @BeforeEach
  void set(TestInfo test) throws Exception {
    group =
        new LegacyGroup(zooKeeper.connectString(), test.getTestMethod().orElseThrow().getName());
    group
        .put("/brokers/ids/1", "{\"version\":1,\"host\":\"h\",\"port\":1,\"jmx_port\":-1}")
        .put("/brokers/topics/t", "{\"version\":1,\"partitions\":{\"0\":[1]}}")
        .put("/brokers/topics/u", "{\"version\":1,\"partitions\":{\"0\":[1]}}")
        .put("/brokers/topics/other", "[\"nobody subscribes to it\"]")
        .putEphemeral("/consumers/g/ids/g_a", MEMBER)
        .putEphemeral("/consumers/g/owners/t/0", "g_a-0")
        .putEphemeral("/consumers/g/owners/u/0", "g_a-0");
  }

  @AfterEach
  void clear() {
    group.close();
  }

  private List<String> offenders() {
    CommandLineRun run = group.run("verify --group g");
    assertThat(run.err()).isEmpty();
    List<String> lines = run.out().lines().toList();
    assertThat(run.exitCode()).isEqualTo(lines.size() == 1 ? 0 : 1);
    return lines.subList(0, lines.size() - 1);
  }

  @Test
  void aGroupOfReadableNodesIsInOrder() {
    assertThat(offenders()).isEmpty();
  }

  @Test
  void b096AndB097AndB105AndB113WhatStopsTheGroupIsNamedByPathAndContent() throws Exception {
    group
        .put("/brokers/ids/3", "b3-1457105355761:b3:9092")
        .put("/brokers/topics/t", "{\"version\":1,\"partitions\":{\"0\":[1],\"x\":[1]}}")
        .put("/consumers/g/offsets/t/0", "abc")
        .putEphemeral("/consumers/g/ids/x", "events".repeat(100));

    assertThat(offenders())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).startsWith("/brokers/ids/3: \"b3-1457105355761:b3:9092\" ("),
            line ->
                assertThat(line)
                    .startsWith("/brokers/topics/t: \"{\"version\":1,")
                    .contains("not \"x\""),
            line -> assertThat(line).startsWith("/consumers/g/offsets/t/0: \"abc\" ("),
            line ->
                assertThat(line)
                    .startsWith("/consumers/g/ids/x: \"" + "events".repeat(100).substring(0, 200))
                    .contains("...\" (")
                    .doesNotContain("events".repeat(40)));
  }

  @Test
  void b103ATopicWithoutZnodeOrPartitionsIsNamed() throws Exception {
    group.delete("/brokers/topics/t");
    group.put("/brokers/topics/u", "no json");

    assertThat(offenders())
        .containsExactly(
            "/brokers/topics/u: \"no json\" (expected: JSON)",
            "t: subscribed to, and does not exist",
            "u: subscribed to, and has no partitions");
  }
}
