package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.protocol.ApiKeys;

/** OffsetCommit and OffsetFetch by topic names. */
final class OffsetScripts {

  private static final List<State> ALL = State.DYNAMIC;
  private static final List<State> FEW =
      List.of(State.ABSENT, State.EMPTY, State.COMPLETING, State.STABLE, State.PREPARING);

  private OffsetScripts() {}

  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    scripts.addAll(Probe.in(ALL, commits(9).subList(0, 10)));
    List<Probe> fields = commits(9);
    scripts.addAll(Probe.in(List.of(State.STABLE), fields.subList(10, fields.size())));
    for (int version = 2; version < 9; version++) {
      scripts.addAll(Probe.in(FEW, commits(version).subList(0, 4)));
    }
    for (int version = 1; version <= 9; version++) {
      for (boolean committed : new boolean[] {false, true}) {
        fetches(version, committed, scripts);
      }
    }
    return scripts;
  }

  static OffsetCommitRequestPartition part(int partition, long offset) {
    return new OffsetCommitRequestPartition()
        .setPartitionIndex(partition)
        .setCommittedOffset(offset)
        .setCommittedMetadata("m");
  }

  static OffsetCommitRequestTopic topic(String name, OffsetCommitRequestPartition... parts) {
    return new OffsetCommitRequestTopic().setName(name).setPartitions(List.of(parts));
  }

  static OffsetCommitRequestData commit(Dialog dialog, String role) {
    return new OffsetCommitRequestData()
        .setGroupId(dialog.group())
        .setMemberId(dialog.id(role))
        .setGenerationIdOrMemberEpoch(dialog.generation())
        .setTopics(List.of(topic(Target.TOPIC, part(0, 7))));
  }

  private static Probe commit(
      String name, int version, String role, BiConsumer<Dialog, OffsetCommitRequestData> change) {
    return new Probe(
        name,
        ApiKeys.OFFSET_COMMIT,
        version,
        "probe",
        false,
        dialog -> {
          OffsetCommitRequestData commit = commit(dialog, role);
          change.accept(dialog, commit);
          return commit;
        });
  }

  private static List<Probe> commits(int version) {
    List<Probe> probes = new ArrayList<>();
    probes.add(commit("a's", version, "a", (dialog, commit) -> {}));
    probes.add(
        commit(
            "of a later generation",
            version,
            "a",
            (dialog, commit) -> commit.setGenerationIdOrMemberEpoch(dialog.generation() + 5)));
    probes.add(
        commit(
            "an administrator's",
            version,
            "a",
            (dialog, commit) -> commit.setMemberId("").setGenerationIdOrMemberEpoch(-1)));
    probes.add(
        commit(
            "of nobody in generation 3",
            version,
            "nobody",
            (dialog, commit) -> commit.setGenerationIdOrMemberEpoch(3)));
    probes.add(commit("b's", version, "b", (dialog, commit) -> {}));
    probes.add(
        commit(
            "a's, generation -1",
            version,
            "a",
            (dialog, commit) -> commit.setGenerationIdOrMemberEpoch(-1)));
    probes.add(commit("nobody's", version, "nobody", (dialog, commit) -> {}));
    probes.add(commit("no member id", version, "a", (dialog, commit) -> commit.setMemberId("")));
    probes.add(commit("of an id handed out", version, "p", (dialog, commit) -> {}));
    probes.add(
        version >= 7
            ? commit(
                "an unknown instance id",
                version,
                "a",
                (dialog, commit) -> commit.setGroupInstanceId("unknown"))
            : commit("no topics", version, "a", (dialog, commit) -> commit.setTopics(List.of())));
    probes.add(commit("no topics", version, "a", (dialog, commit) -> commit.setTopics(List.of())));
    probes.add(
        commit(
            "no partitions",
            version,
            "a",
            (dialog, commit) -> commit.setTopics(List.of(topic(Target.TOPIC)))));
    probes.add(
        commit(
            "an unknown topic and a known one",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(
                    List.of(topic("unknown", part(0, 1)), topic(Target.TOPIC, part(1, 1))))));
    probes.add(
        commit(
            "an unknown topic and another generation",
            version,
            "a",
            (dialog, commit) ->
                commit
                    .setGenerationIdOrMemberEpoch(9)
                    .setTopics(
                        List.of(topic("unknown", part(0, 1)), topic(Target.TOPIC, part(1, 1))))));
    probes.add(
        commit(
            "only an unknown topic and another generation",
            version,
            "a",
            (dialog, commit) ->
                commit
                    .setGenerationIdOrMemberEpoch(9)
                    .setTopics(List.of(topic("unknown", part(0, 1))))));
    probes.add(
        commit(
            "partitions -1 and beyond the last",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(
                    List.of(topic(Target.TOPIC, part(-1, 1), part(0, 1), part(2, 1))))));
    probes.add(
        commit(
            "a partition twice",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(List.of(topic(Target.TOPIC, part(0, 1), part(0, 2))))));
    probes.add(
        commit(
            "a topic twice",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(
                    List.of(topic(Target.TOPIC, part(0, 1)), topic(Target.TOPIC, part(1, 2))))));
    probes.add(
        commit(
            "metadata too long beside a partition that is fine",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(
                    List.of(
                        topic(
                            Target.TOPIC,
                            part(0, 1).setCommittedMetadata("x".repeat(4_097)),
                            part(1, 1).setCommittedMetadata("x".repeat(4_096)))))));
    probes.add(
        commit(
            "metadata too long in another generation",
            version,
            "a",
            (dialog, commit) ->
                commit
                    .setGenerationIdOrMemberEpoch(9)
                    .setTopics(
                        List.of(
                            topic(
                                Target.TOPIC,
                                part(0, 1).setCommittedMetadata("x".repeat(4_097)))))));
    probes.add(
        commit(
            "metadata of 2,049 letters of two bytes",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(
                    List.of(
                        topic(Target.TOPIC, part(0, 1).setCommittedMetadata("é".repeat(2_049)))))));
    probes.add(
        commit(
            "no metadata",
            version,
            "a",
            (dialog, commit) ->
                commit.setTopics(
                    List.of(topic(Target.TOPIC, part(0, 1).setCommittedMetadata(null))))));
    probes.add(
        commit(
            "offset -1",
            version,
            "a",
            (dialog, commit) -> commit.setTopics(List.of(topic(Target.TOPIC, part(0, -1))))));
    probes.add(
        commit(
            "an empty topic name",
            version,
            "a",
            (dialog, commit) -> commit.setTopics(List.of(topic("", part(0, 1))))));
    probes.add(commit("no group id", version, "a", (dialog, commit) -> commit.setGroupId("")));
    probes.add(
        commit(
            "no group id, an administrator's",
            version,
            "a",
            (dialog, commit) ->
                commit.setGroupId("").setMemberId("").setGenerationIdOrMemberEpoch(-1)));
    return probes;
  }

  /** What a fetch finds, with and without positions. */
  private static void fetches(int version, boolean committed, List<Script> scripts) {
    fetch(
        version,
        committed,
        "two topics",
        List.of(asked(Target.TOPIC, 0, 1), asked("u", 0)),
        scripts);
    fetch(version, committed, "no topics", List.of(), scripts);
    fetch(version, committed, "a topic without partitions", List.of(asked(Target.TOPIC)), scripts);
    fetch(
        version,
        committed,
        "partition -1 and one twice",
        List.of(asked(Target.TOPIC, -1, 0, 0)),
        scripts);
    if (version >= 2) {
      fetch(version, committed, "all topics", null, scripts);
    }
  }

  private static OffsetFetchRequestTopics asked(String topic, Integer... partitions) {
    return new OffsetFetchRequestTopics().setName(topic).setPartitionIndexes(List.of(partitions));
  }

  private static void fetch(
      int version,
      boolean committed,
      String name,
      List<OffsetFetchRequestTopics> topics,
      List<Script> scripts) {
    scripts.add(
        new Script(
            "OffsetFetch v" + version + ", " + (committed ? "positions" : "no group") + ": " + name,
            dialog -> {
              if (committed) {
                dialog.quietly(OffsetScripts::commitBoth);
              }
              dialog.ask(
                  "probe", ApiKeys.OFFSET_FETCH, version, fetch(version, dialog.group(), topics));
            }));
    if (!committed && topics != null) {
      scripts.add(
          new Script(
              "OffsetFetch v" + version + ", no group id: " + name,
              dialog ->
                  dialog.ask("probe", ApiKeys.OFFSET_FETCH, version, fetch(version, "", topics))));
    }
  }

  private static void commitBoth(Dialog dialog) throws Exception {
    dialog.ask(
        "admin",
        ApiKeys.OFFSET_COMMIT,
        9,
        new OffsetCommitRequestData()
            .setGroupId(dialog.group())
            .setTopics(
                List.of(
                    topic(
                        Target.TOPIC,
                        part(0, 42).setCommittedLeaderEpoch(3),
                        part(1, 43).setCommittedMetadata(null)))));
  }

  private static OffsetFetchRequestData fetch(
      int version, String group, List<OffsetFetchRequestTopics> topics) {
    if (version >= 8) {
      return new OffsetFetchRequestData()
          .setGroups(List.of(new OffsetFetchRequestGroup().setGroupId(group).setTopics(topics)));
    }
    OffsetFetchRequestData fetch = new OffsetFetchRequestData().setGroupId(group);
    if (topics == null) {
      return fetch.setTopics(null);
    }
    List<OffsetFetchRequestTopic> old = new ArrayList<>();
    topics.forEach(
        t ->
            old.add(
                new OffsetFetchRequestTopic()
                    .setName(t.name())
                    .setPartitionIndexes(t.partitionIndexes())));
    return fetch.setTopics(old);
  }
}
