package io.rebalancer.it.differential;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where we answer otherwise than Kafka and mean it; docs/protocol.md, "Deviations", says why. */
enum Deviations {
  REPEATED(
      "a Join or Sync repeated while the first one is parked: the first is answered"
          + " REBALANCE_IN_PROGRESS, where Kafka never answers it",
      "JoinGroup v9, Preparing, a new member: b, .*",
      "SyncGroup v5, Completing, a parked Sync: b's, with.* shares"),
  LEFT_WHILE_PARKED(
      "the parked Sync of a member that leaves: it is answered UNKNOWN_MEMBER_ID, where Kafka never"
          + " answers it",
      "LeaveGroup v5, Completing, a parked Sync: (b|a and b)",
      "LeaveGroup v5, Completing, a static member's parked Sync: (b|no member id) as 'i'"),
  EMPTY_INSTANCE_ID(
      "an empty instance id is none, where Kafka takes it for one",
      ".*, .*static.*: a as ''",
      "JoinGroup v9, .*: an empty instance id"),
  EMPTY_GROUP_ID(
      "an empty group id has no positions, since it has no znode, where Kafka keeps some for it",
      "OffsetCommit v9, .*: no group id.*",
      "OffsetFetch v1, no group id: (two topics|partition -1 and one twice)",
      "OffsetFetch v[2-9], no group id: .*",
      "D(escribe|elete)Groups v\\d, Stable, one member: an empty id.*",
      "DeleteGroups v3, Empty: an empty id and it",
      "D(escribe|elete)Groups v\\d, group ''"),
  ODD_GROUP_ID(
      "a group id that cannot be part of a znode's path is refused, where Kafka takes any",
      "(JoinGroup|Heartbeat|DescribeGroups|DeleteGroups|OffsetDelete) v\\d, group"
          + " '( |a b|a/b|/|\\.|\\.\\.|é|aNULb)'"),
  ONLY_GROUPS(
      "transactions and share groups have no coordinator, and never will have by waiting",
      "FindCoordinator v[1-6]: a transaction",
      "FindCoordinator v[4-6]: a share group"),
  AUTHORIZED_OPERATIONS(
      "there is no authorizer, and nothing is told of what it would allow",
      "Describe(Groups v6, Stable, one member|Cluster v[0-2]): authorized operations too"),
  EMPTY_TOPIC_NAME(
      "an empty topic name is no valid one, where Kafka fails on it",
      "DescribeTopicPartitions v0: an empty name"),
  NO_PARTITIONS(
      "a topic without partitions is answered with none, where Kafka leaves it out",
      "OffsetCommit v9, Stable, one member: no partitions",
      "OffsetDelete v0, (Empty|Stable, one member|Preparing, a new member): no partitions");

  private final String reason;
  private final List<Pattern> scripts;

  Deviations(String reason, String... scripts) {
    this.reason = reason;
    this.scripts = List.of(scripts).stream().map(Pattern::compile).toList();
  }

  static Optional<Deviations> of(String script) {
    return List.of(values()).stream().filter(each -> each.covers(script)).findFirst();
  }

  private boolean covers(String script) {
    return scripts.stream().anyMatch(each -> each.matcher(script).matches());
  }

  String reason() {
    return reason;
  }
}
