package io.rebalancer.bridge.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.zookeeper.EmbeddedZooKeeper;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

class GroupsIT {

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
  void set(TestInfo test) {
    group =
        new LegacyGroup(zooKeeper.connectString(), test.getTestMethod().orElseThrow().getName());
  }

  @AfterEach
  void clear() {
    group.close();
  }

  @Test
  void b117AGroupWithLiveMembersIsNotDeletedAndTheyAreNamed() throws Exception {
    group.put("/consumers/g/offsets/t/0", "5");
    group.putEphemeral("/consumers/g/ids/g_a", "{}").putEphemeral("/consumers/g/ids/g_b", "{}");
    SortedMap<String, String> before = group.below("/consumers");

    CommandLineRun run = group.run("groups --delete --group g");

    assertThat(run)
        .isEqualTo(
            new CommandLineRun(1, "", "rebalancer: --delete: g has live members: g_a, g_b\n"));
    assertThat(group.below("/consumers")).isEqualTo(before);
  }

  @Test
  void b117OfADeletedGroupNothingIsLeftAndOthersAreNotTouched() throws Exception {
    group.put("/consumers/g/ids", "").put("/consumers/g/owners/t/1", "g_dead-0");
    for (int i = 0; i < 2100; i++) {
      group.put("/consumers/g/offsets/t/" + i, "5");
    }
    group.put("/consumers/gg/offsets/t/0", "7");

    assertThat(group.run("groups --delete --group g"))
        .isEqualTo(new CommandLineRun(0, "deleted g\n", ""));

    assertThat(group.below("/consumers"))
        .containsOnlyKeys(
            "/consumers/gg",
            "/consumers/gg/offsets",
            "/consumers/gg/offsets/t",
            "/consumers/gg/offsets/t/0")
        .containsEntry("/consumers/gg/offsets/t/0", "7 v0");
    assertThat(group.run("groups --delete --group g --output json"))
        .isEqualTo(new CommandLineRun(1, "", "rebalancer: --group: g does not exist\n"));
  }

  @Test
  void aGroupOfACoordinatorIsSaidToBeOne() throws Exception {
    group.put("/rebalancer/groups/g", "{}");
    CommandLineRun said =
        new CommandLineRun(
            1,
            "",
            "rebalancer: --group: g does not exist below /consumers; it is a coordinator's, for"
                + " kafka-consumer-groups --bootstrap-server\n");

    assertThat(group.run("groups --describe --group g")).isEqualTo(said);
    assertThat(group.run("verify --group g")).isEqualTo(said);
    assertThat(group.run("offsets export --group g")).isEqualTo(said);
    assertThat(group.run("offsets reset --group g --topic t --to-offset 0")).isEqualTo(said);
  }
}
