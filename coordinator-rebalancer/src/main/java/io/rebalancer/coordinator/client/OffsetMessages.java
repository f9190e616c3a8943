package io.rebalancer.coordinator.client;

import io.rebalancer.core.model.GroupId;
import io.rebalancer.core.model.MemberId;
import io.rebalancer.core.model.TopicPartition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.Errors;

/** Offsets in Kafka's messages. */
final class OffsetMessages {

  private OffsetMessages() {}

  static OffsetCommitRequestData commit(
      GroupId group,
      int generation,
      MemberId member,
      Optional<String> instanceId,
      Map<TopicPartition, Long> offsets) {
    SortedMap<String, List<OffsetCommitRequestData.OffsetCommitRequestPartition>> topics =
        new TreeMap<>();
    offsets.forEach(
        (partition, offset) ->
            topics
                .computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                .add(
                    new OffsetCommitRequestData.OffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(offset)
                        .setCommittedMetadata("")));
    return new OffsetCommitRequestData()
        .setGroupId(group.value())
        .setGenerationIdOrMemberEpoch(generation)
        .setMemberId(member.value())
        .setGroupInstanceId(instanceId.orElse(null))
        .setTopics(
            topics.entrySet().stream()
                .map(
                    topic ->
                        new OffsetCommitRequestData.OffsetCommitRequestTopic()
                            .setName(topic.getKey())
                            .setPartitions(topic.getValue()))
                .toList());
  }

  /** The first error; errors about the member stand with every partition. */
  static Errors error(OffsetCommitResponseData answer) {
    return answer.topics().stream()
        .flatMap(topic -> topic.partitions().stream())
        .map(partition -> Errors.forCode(partition.errorCode()))
        .filter(error -> error != Errors.NONE)
        .findFirst()
        .orElse(Errors.NONE);
  }

  static OffsetFetchRequestData fetch(GroupId group, TopicPartition partition) {
    return new OffsetFetchRequestData()
        .setRequireStable(false)
        .setGroups(
            List.of(
                new OffsetFetchRequestData.OffsetFetchRequestGroup()
                    .setGroupId(group.value())
                    .setTopics(
                        List.of(
                            new OffsetFetchRequestData.OffsetFetchRequestTopics()
                                .setName(partition.topic())
                                .setPartitionIndexes(List.of(partition.partition()))))));
  }

  /** Kafka writes "none stored" as a negative offset without an error. */
  static Optional<Long> fetched(OffsetFetchResponseData answer) throws IOException {
    for (OffsetFetchResponseData.OffsetFetchResponseGroup group : answer.groups()) {
      demandNone(group.errorCode());
      for (OffsetFetchResponseData.OffsetFetchResponseTopics topic : group.topics()) {
        for (OffsetFetchResponseData.OffsetFetchResponsePartitions found : topic.partitions()) {
          demandNone(found.errorCode());
          return found.committedOffset() < 0
              ? Optional.empty()
              : Optional.of(found.committedOffset());
        }
      }
    }
    throw new IOException("the answer lacks the partition that was asked for");
  }

  private static void demandNone(short code) throws IOException {
    Errors error = Errors.forCode(code);
    if (error != Errors.NONE) {
      throw new IOException(error.name() + " (" + code + "): " + error.message());
    }
  }
}
