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
      "OffsetFetch v[2-9], no group id: .*"),
  NO_PARTITIONS(
      "a topic without partitions in a commit is answered with none, where Kafka leaves it out",
      "OffsetCommit v9, Stable, one member: no partitions");

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
