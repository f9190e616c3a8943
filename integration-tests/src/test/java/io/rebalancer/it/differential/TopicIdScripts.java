package io.rebalancer.it.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.protocol.ApiKeys;

/** OffsetCommit and OffsetFetch by topic ids. */
final class TopicIdScripts {

  private static final Uuid UNKNOWN = new Uuid(7, 7);

  private TopicIdScripts() {}

  static List<Script> all() {
    List<Script> scripts = new ArrayList<>();
    scripts.addAll(
        Probe.in(
            State.DYNAMIC,
            List.of(
                commit("a's", (dialog, commit) -> {}),
                commit(
                    "an unknown id and another generation",
                    (dialog, commit) ->
                        commit
                            .setGenerationIdOrMemberEpoch(9)
                            .setTopics(List.of(topic(UNKNOWN), topic(known(dialog))))),
                commit(
                    "an administrator's",
                    (dialog, commit) -> commit.setMemberId("").setGenerationIdOrMemberEpoch(-1)))));
    scripts.addAll(
        Probe.in(
            List.of(State.STABLE),
            List.of(
                commit(
                    "an unknown id and a known one",
                    (dialog, commit) ->
                        commit.setTopics(List.of(topic(UNKNOWN), topic(known(dialog))))),
                commit(
                    "no id", (dialog, commit) -> commit.setTopics(List.of(topic(Uuid.ZERO_UUID)))),
                commit(
                    "a name of another topic beside the id",
                    (dialog, commit) ->
                        commit.setTopics(List.of(topic(known(dialog)).setName("unknown")))),
                commit(
                    "partitions -1 and beyond the last",
                    (dialog, commit) ->
                        commit.setTopics(
                            List.of(
                                topic(known(dialog))
                                    .setPartitions(
                                        List.of(
                                            OffsetScripts.part(-1, 1),
                                            OffsetScripts.part(0, 1),
                                            OffsetScripts.part(2, 1)))))),
                commit(
                    "metadata too long",
                    (dialog, commit) ->
                        commit.setTopics(
                            List.of(
                                topic(known(dialog))
                                    .setPartitions(
                                        List.of(
                                            OffsetScripts.part(0, 1)
                                                .setCommittedMetadata("x".repeat(4_097))))))),
                commit(
                    "an id twice",
                    (dialog, commit) ->
                        commit.setTopics(List.of(topic(known(dialog)), topic(known(dialog))))))));
    for (boolean committed : new boolean[] {false, true}) {
      fetch(committed, "the topic", List.of(0, 1), true, scripts);
      fetch(committed, "partition -1 and one twice", List.of(-1, 0, 0), true, scripts);
      fetch(committed, "an unknown id", List.of(0, 1), false, scripts);
      fetch(committed, "all topics", null, true, scripts);
    }
    return scripts;
  }

  private static Uuid known(Dialog dialog) {
    return Uuid.fromString(dialog.target().topicIds().get(Target.TOPIC));
  }

  private static OffsetCommitRequestTopic topic(Uuid id) {
    List<OffsetCommitRequestPartition> parts =
        List.of(OffsetScripts.part(0, 42).setCommittedLeaderEpoch(3));
    return new OffsetCommitRequestTopic().setTopicId(id).setPartitions(parts);
  }

  private static Probe commit(String name, BiConsumer<Dialog, OffsetCommitRequestData> change) {
    return new Probe(
        name,
        ApiKeys.OFFSET_COMMIT,
        10,
        "probe",
        false,
        dialog -> {
          OffsetCommitRequestData commit =
              OffsetScripts.commit(dialog, "a").setTopics(List.of(topic(known(dialog))));
          change.accept(dialog, commit);
          return commit;
        });
  }

  private static void fetch(
      boolean committed,
      String name,
      List<Integer> partitions,
      boolean known,
      List<Script> scripts) {
    scripts.add(
        new Script(
            "OffsetFetch v10, " + (committed ? "positions" : "no group") + ": " + name,
            dialog -> {
              if (committed) {
                dialog.quietly(
                    d ->
                        d.ask(
                            "admin",
                            ApiKeys.OFFSET_COMMIT,
                            10,
                            new OffsetCommitRequestData()
                                .setGroupId(d.group())
                                .setTopics(List.of(topic(known(d))))));
              }
              OffsetFetchRequestGroup group =
                  new OffsetFetchRequestGroup().setGroupId(dialog.group());
              group.setTopics(
                  partitions == null
                      ? null
                      : List.of(
                          new OffsetFetchRequestTopics()
                              .setTopicId(known ? known(dialog) : UNKNOWN)
                              .setPartitionIndexes(partitions)));
              dialog.ask(
                  "probe",
                  ApiKeys.OFFSET_FETCH,
                  10,
                  new OffsetFetchRequestData().setGroups(List.of(group)));
            }));
  }
}
