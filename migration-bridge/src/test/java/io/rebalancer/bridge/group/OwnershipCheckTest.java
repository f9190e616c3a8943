package io.rebalancer.bridge.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.rebalancer.bridge.group.GroupSnapshot.Owner;
import io.rebalancer.bridge.report.GroupTables;
import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.PartitionSet;
import io.rebalancer.core.model.Subscription;
import io.rebalancer.core.model.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OwnershipCheckTest {

  private static final MemberId A = new MemberId("g_host-1-a");
  private static final MemberId B = new MemberId("g_host-1-b");

  private static GroupSnapshot group(
      Map<MemberId, Subscription> members, Map<Integer, String> owners, String... unreadable) {
    TreeMap<TopicPartition, Owner> nodes = new TreeMap<>();
    owners.forEach((n, thread) -> nodes.put(new TopicPartition("t", n), new Owner(thread)));
    return new GroupSnapshot(
        new GroupId("g"),
        new TreeMap<>(Map.of("t", PartitionSet.range(0, 3))),
        new TreeMap<>(members),
        List.of(unreadable),
        nodes,
        new TreeMap<>(Map.of(new TopicPartition("t", 1), 42L)));
  }

  private static Subscription streams(String topic, int count) {
    return Subscription.copyOf(Map.of(topic, count));
  }

  @Test
  void aGroupWhoseThreadsOwnEverythingIsInOrder() {
    var members = Map.of(A, streams("t", 2), B, streams("t", 1));

    assertThat(
            OwnershipCheck.offenders(group(members, Map.of(0, A + "-0", 1, A + "-1", 2, B + "-0"))))
        .isEmpty();
    assertThat(OwnershipCheck.offenders(group(Map.of(), Map.of()))).isEmpty();
  }

  @Test
  void everyOffenderIsNamed() {
    var members = Map.of(A, streams("t", 1), B, streams("gone", 1));

    assertThat(
            OwnershipCheck.offenders(
                group(members, Map.of(0, A + "-0", 1, A + "-1"), "/consumers/g/ids/x: \"{}\"")))
        .containsExactly(
            "/consumers/g/ids/x: \"{}\"",
            "gone: subscribed to, and does not exist",
            "t-1: owned by \"g_host-1-a-1\", which is no registered thread that subscribes to t",
            "t-2: nobody owns it");
  }

  @Test
  void partitionsAreShownInTheColumnsOfKafkasToolAndIdleMembersAfterThem() {
    var members = Map.of(A, streams("t", 1), B, streams("t", 1));

    assertThat(
            GroupTables.offsets(group(members, Map.of(0, A + "-0", 1, A + "-0")), Map.of())
                .toString()
                .lines())
        .containsExactly(
            "GROUP  TOPIC  PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID",
            "g      t      0          -               -               -    g_host-1-a   -     -",
            "g      t      1          42              -               -    g_host-1-a   -     -",
            "g      t      2          -               -               -    -            -     -",
            "g      -      -          -               -               -    g_host-1-b   -     -");
    assertThat(
            GroupTables.offsets(
                    group(members, Map.of()),
                    Map.of(
                        new TopicPartition("t", 0), new LogRange(0, 9),
                        new TopicPartition("t", 1), new LogRange(0, 50)))
                .rows())
        .startsWith(
            List.of("g", "t", "0", "-", "9", "-", "-", "-", "-"),
            List.of("g", "t", "1", "42", "50", "8", "-", "-", "-"));
    assertThat(GroupTables.members(group(members, Map.of(0, A + "-0"))).rows())
        .containsExactly(
            List.of("g", "g_host-1-a", "-", "-", "1"), List.of("g", "g_host-1-b", "-", "-", "0"));
    assertThat(GroupTables.state(group(members, Map.of())).rows())
        .containsExactly(List.of("g", "-", "-", "Stable", "2"));
  }
}
